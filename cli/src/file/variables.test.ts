import { expect, test } from 'vitest';
import { expandVariables } from './variables.ts';

const env = { A: 'one', LIST: 'a@example.com, b@example.com', EMPTY: '' };

test.each([
  [`\${A}`, 'one'],
  [`x-\${A}-\${A}`, 'x-one-one'],
  [`$\${A}`, `\${A}`],
  ['$A', '$A'],
  [
    [`\${LIST}`, 'c@example.com'],
    ['a@example.com', 'b@example.com', 'c@example.com'],
  ],
  [
    { url: `\${A}`, port: 1 },
    { url: 'one', port: 1 },
  ],
])('expanding the variables in %j results in %j', (value, expected) => {
  expect(expandVariables(value, env)).toEqual({ value: expected, missing: [] });
});

test.each(['NOPE', 'EMPTY'])('the variable %s is reported as missing, and the text stays unchanged', (name) => {
  expect(expandVariables({ list: ['x', `\${${name}}`] }, env)).toEqual({
    value: { list: ['x', `\${${name}}`] },
    missing: [{ name, path: ['list', 1] }],
  });
});
