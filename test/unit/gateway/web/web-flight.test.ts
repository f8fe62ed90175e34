import { expect, it, vi } from 'vitest';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';
import { type BegunAnswer, type Landing, WebFlight } from '../../../../src/gateway/web/web-flight.ts';
import type { WebRead } from '../../../../src/gateway/web/web-read.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';

function readOf(quota: string, a = ''): WebRead {
  const variantName = (names: readonly string[]) => (names.includes('x-a') ? a : '');
  return { client: { quota }, sent: [], variantName } as unknown as WebRead;
}

function begun(by: WebRead, vary?: string): BegunAnswer {
  const head = readWebHead({ status: 200, fields: vary === undefined ? [] : [httpHeader('vary', vary)] });
  return { head, times: {} as never, by, hasBody: true, isFor: 'all' };
}

const alone: Landing = { kind: 'alone', because: 'answer' };

it('what another has got that was asked for beside ends a question, whatever else has begun', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  flight.hedges = { endOf: () => undefined, over: () => {} };
  flight.land(alone, readOf('hedge'));
  expect(flight.isOver).toBe(true);
});

it('what begins once a question is over is told nobody, and is not waited for', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  flight.begins = vi.fn();
  flight.land(alone);
  flight.answered(begun(readOf('hedge')));
  expect([flight.isAnswered, flight.begun]).toEqual([false, undefined]);
  expect(flight.begins).not.toHaveBeenCalled();
});

it('what breaks off once a question is over makes nothing the one that is waited for', () => {
  const first = readOf('first');
  const flight = new WebFlight(first, 0, () => {});
  const hedge = readOf('hedge');
  for (const by of [hedge, first]) flight.answered(begun(by));
  flight.begins = vi.fn();
  flight.land({ kind: 'stored', record: {} as never, how: 'fetched', status: 200 });
  flight.brokeOff(hedge);
  expect(flight.begins).not.toHaveBeenCalled();
});

it('of two answers under way the one that goes on is waited for, and who selects another than that is told so', () => {
  const flight = new WebFlight(readOf('first', '1'), 0, () => {});
  const [one, other] = [readOf('one', '1'), readOf('other', '2')];
  const landings: Landing[] = [];
  flight.answered(begun(one, 'x-a'));
  flight.wait(
    readOf('a', '1'),
    landing => landings.push(landing),
    () => false,
  );
  flight.answered(begun(other, 'x-a'));
  flight.brokeOff(one);
  expect(flight.begun?.by).toBe(other);
  expect(landings).toMatchObject([{ kind: 'alone', because: 'variant' }]);
  flight.brokeOff(other);
  expect(flight.isAnswered).toBe(false);
});

it('the answer of the first is none to be waited for any more where it is held for another', () => {
  const first = readOf('first');
  const flight = new WebFlight(first, 0, () => {});
  flight.hedges = { endOf: () => undefined, over: () => {} };
  const hedge = readOf('hedge');
  flight.answered(begun(first));
  flight.answered(begun(hedge));
  flight.land(alone);
  expect([flight.isOver, flight.begun?.by]).toEqual([false, hedge]);
});

it('what begins beside a question whose first has left is its end where nobody waits for more than the head', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  flight.deserted = vi.fn();
  flight.wait(
    readOf('a'),
    () => {},
    () => true,
  );
  flight.answered(begun(readOf('hedge')));
  expect(flight.deserted).toHaveBeenCalledOnce();
});

it('of two answers that begin the one that came first is waited for, and the other is told who needs no more than its head', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  flight.begins = vi.fn();
  const told = vi.fn();
  const heads: string[] = [];
  const [one, other] = [readOf('one', '1'), readOf('other', '2')];
  flight.wait(readOf('a', '1'), told, ({ by }) => {
    heads.push(by.client.quota);
    return false;
  });
  flight.answered(begun(one, 'x-a'));
  flight.answered(begun(other, 'x-a'));
  expect(heads).toEqual(['one', 'other']);
  expect(flight.begins).toHaveBeenCalledOnce();
  expect(told).not.toHaveBeenCalled();
});

it.each([true, false])(
  'where one breaks off, who came after the next had begun is told it if it may share that: %s',
  mayShare => {
    const flight = new WebFlight(readOf('first'), 0, () => {});
    flight.mayShare = () => mayShare;
    const [one, other] = [readOf('one'), readOf('other')];
    flight.answered(begun(one));
    flight.answered(begun(other));
    flight.wait(
      readOf('later'),
      () => {},
      ({ by }) => by === other,
    );
    flight.deserted = vi.fn();
    flight.brokeOff(one);
    expect(flight.isAwaited).toBe(!mayShare);
    expect(flight.deserted).toHaveBeenCalledTimes(Number(mayShare));
  },
);

it('what breaks off behind what is waited for begins nothing, and leaves nobody', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  flight.begins = vi.fn();
  const [one, other] = [readOf('one'), readOf('other')];
  flight.answered(begun(one));
  flight.answered(begun(other));
  flight.deserted = vi.fn();
  flight.brokeOff(other);
  expect(flight.begun?.by).toBe(one);
  expect(flight.begins).toHaveBeenCalledOnce();
  expect(flight.deserted).not.toHaveBeenCalled();
});

it('who selects another variant is told once, and whose answer selects it so, whatever the others do meanwhile', () => {
  const flight = new WebFlight(readOf('first', '1'), 0, () => {});
  const hedge = readOf('hedge', '1');
  const told: [string, WebRead][] = [];
  for (const name of ['a', 'b'])
    flight.wait(
      readOf(name, '2'),
      (landing, by) => {
        told.push([`${name} ${landing.kind === 'alone' && landing.because}`, by]);
        flight.land(alone);
      },
      () => false,
    );
  flight.answered(begun(hedge, 'x-a'));
  expect(told).toEqual([
    ['a variant', hedge],
    ['b variant', hedge],
  ]);
});

it('a question that is over is deserted by nobody any more', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  const deserted = vi.fn();
  flight.deserted = deserted;
  flight.land(alone);
  flight.dismiss(readOf('other'));
  expect(deserted).not.toHaveBeenCalled();
});

it('an answer of its own deserts nothing: whoever has asked is told it still', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  const deserted = vi.fn();
  flight.deserted = deserted;
  flight.land(alone);
  expect(deserted).not.toHaveBeenCalled();
});
