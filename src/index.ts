export { VibeError } from './errors.ts';
