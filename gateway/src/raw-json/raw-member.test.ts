import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rawJsonItems, rawJsonMember } from './raw-member.ts';

test.each([
  ['{"config":{"b":1,"10":2,"9":3}}', '{"b":1,"10":2,"9":3}'],
  ['{"config" : {"n": 12345678901234567890, "f": 1.0e2} , "name":"x"}', '{"n": 12345678901234567890, "f": 1.0e2}'],
  ['{"a":{"config":1},"b":["config",{"config":2}],"config":{"":"}\\"]{"}}', '{"":"}\\"]{"}'],
  ['{"config":1,"config":{"last":true}}', '{"last":true}'],
  ['{"\\u0063onfig":{"escaped":"key"}}', '{"escaped":"key"}'],
  ['{"config":{"__proto__":{"x":1}}}', '{"__proto__":{"x":1}}'],
  ['{"config":"config"}', '"config"'],
])('the text of the member `config` in %s is %s', (json, text) => {
  expect(rawJsonMember(json, 'config')).toBe(text);
});

test.each(['{}', '{"configs":1}', '{"a":{"config":1}}', '{"a":"config"}'])(
  'the JSON text %s has no member `config`',
  (json) => {
    expect(rawJsonMember(json, 'config')).toBeUndefined();
  },
);

test('parsing the text from rawJsonMember() returns the value of the member', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (object, space) => {
      const json = JSON.stringify(object, null, space);
      for (const [name, value] of Object.entries(object)) {
        expect(JSON.stringify(JSON.parse(rawJsonMember(json, name) ?? ''))).toBe(JSON.stringify(value));
      }
    }),
  );
});

test.each([
  ['[]', []],
  [' [ ] ', []],
  ['[1]', ['1']],
  ['[ {"a": [1, {"b": "],["}]} ,"x,\\"]", [2,3], null ]', ['{"a": [1, {"b": "],["}]}', '"x,\\"]"', '[2,3]', 'null']],
])('the items of %s are %j', (json, items) => {
  expect(rawJsonItems(json)).toEqual(items);
});

test('parsing the texts from rawJsonItems() returns the items of the array', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (items, space) => {
      const texts = rawJsonItems(JSON.stringify(items, null, space));
      expect(texts.map((text) => JSON.stringify(JSON.parse(text)))).toEqual(items.map((item) => JSON.stringify(item)));
    }),
  );
});
