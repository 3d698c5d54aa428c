/** In cents. */
const PRICES = {
  tea: 350,
  cake: 420,
};

export function getPrice(item) {
  return PRICES[item];
}

export function currency() {
  return 'EUR';
}
