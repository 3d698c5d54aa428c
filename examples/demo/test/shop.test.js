import assert from 'node:assert';
import { test } from 'node:test';
import { total } from '../src/cart.js';
import { getPrice } from '../src/price.js';
import { line } from '../src/receipt.js';

test('adds up', () => assert.equal(total(['tea', 'cake']), 770));
test('knows prices', () => assert.equal(getPrice('cake'), 420));
test('prints', () => assert.match(line('tea'), /^tea: 350/));
