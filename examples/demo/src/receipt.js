import { currency, getPrice } from './price.js';

export function line(item) {
  return `${item}: ${getPrice(item)} ${currency()}`;
}
