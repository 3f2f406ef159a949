import { expect, test } from 'vitest';
import { countMessage, type MessageHour } from './message-limit.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

test('countMessage() identifies the last message within the limit, and refuses further messages until the hour ends', () => {
  let hour: MessageHour | undefined;
  const kinds: string[] = [];
  for (let minute = 0; minute < 5; minute += 1) {
    const counted = countMessage(hour, 3, at(`10:0${minute}:00`));
    expect(counted.slot.until).toEqual(at('11:00:00'));
    kinds.push(counted.slot.kind);
    hour = counted.hour;
  }
  expect(kinds).toEqual(['free', 'free', 'last', 'none', 'none']);
  expect(countMessage(hour, 3, at('10:59:59.999')).slot.kind).toBe('none');
  expect(countMessage(hour, 3, at('11:00:00')).slot).toEqual({ kind: 'free', until: at('12:00:00') });
});

test('with a limit of one message per hour, the first message is also the last one within the limit', () => {
  expect(countMessage(undefined, 1, at('10:00:00')).slot.kind).toBe('last');
});

test('a limit of 0 means no limit', () => {
  const hour = { startedAt: at('10:00:00'), messages: 100_000 };
  expect(countMessage(hour, 0, at('10:30:00')).slot.kind).toBe('free');
});
