import { expect, it } from 'vitest';
import { turnsUntil } from '../../support/turns-until.ts';

it('goes on as soon as it holds', async () => {
  let asked = 0;
  await turnsUntil('three turns', () => ++asked === 3);
  await turnsUntil('five turns', async () => ++asked === 5);
  expect(asked).toBe(5);
});

it('ends with a message when it never does', async () => {
  await expect(turnsUntil('the moon is reached', () => false, 20)).rejects.toThrow(
    'not within 20 ms: the moon is reached',
  );
});
