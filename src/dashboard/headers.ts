/** What every answer says to the browser: run nothing but our script, tell nobody, keep nothing. */

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
];

/** Never a header of CORS. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY.join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
