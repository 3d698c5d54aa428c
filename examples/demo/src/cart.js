import { getPrice } from './price.js';

export function total(items) {
  return items.reduce((sum, item) => sum + getPrice(item), 0);
}
