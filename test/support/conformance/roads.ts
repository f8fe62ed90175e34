import { ExchangeObserver } from '../../../src/gateway/reply/exchange-observer.ts';
import { PreparedHeaders } from '../../../src/gateway/reply/prepared-headers.ts';
import { PlainReads } from '../../../src/gateway/request/plain-reads.ts';
import { DirectAnswer } from '../../../src/transport/answer.ts';

/** How many requests took which way through the gateways of this process. */
export interface RoadCounts {
  readonly requests: number;
  /** Requests whose address and grants came from the memo of plain reads. */
  readonly memo: number;
  /** Answers with an object, or about one: 200, 206 and 304. */
  readonly answers: number;
  /** Those that were written directly to the socket. */
  readonly direct: number;
}

const counted = { requests: 0, memo: 0, answers: 0, direct: 0 };

/** Since `before`; since the start of the process when left out. */
export function roadsTaken(before?: RoadCounts): RoadCounts {
  const { requests, memo, answers, direct } = counted;
  if (!before) return { requests, memo, answers, direct };
  return {
    requests: requests - before.requests,
    memo: memo - before.memo,
    answers: answers - before.answers,
    direct: direct - before.direct,
  };
}

const { began } = ExchangeObserver.prototype;
ExchangeObserver.prototype.began = function () {
  counted.requests++;
  began.call(this);
};

const { find } = PlainReads.prototype;
PlainReads.prototype.find = function (...asked) {
  const found = find.apply(this, asked);
  if (found) counted.memo++;
  return found;
};

const { begin } = PreparedHeaders.prototype;
PreparedHeaders.prototype.begin = function (...reply) {
  const answer = begin.apply(this, reply);
  counted.answers++;
  if (answer instanceof DirectAnswer) counted.direct++;
  return answer;
};
