import { GIVEN_UP, NO_ANSWER, StoreError } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { parseRange } from '../../http/range.ts';
import type { LookupOutcome } from '../request/cache-status.ts';
import { isPart } from './asked-range.ts';
import { mayConfirm } from './confirmation.ts';
import { isDemanding } from './demands.ts';
import { asksOtherwise, couldBeForAll } from './one-request.ts';
import type { OwnAnswers } from './own-answers.ts';
import { type AloneLanding, type BegunAnswer, hasHung, type Landing } from './web-flight.ts';
import type { FlightKind } from './web-flights.ts';
import type { WebRead } from './web-read.ts';

/**
 * What `read` asks the origin that may be for others as well: the whole answer, or what is held of it where that may be confirmed,
 * or a range, for who wants no more than that. What is kept for nobody is no answer to others either. Those who ask by HEAD, or whether
 * they still have it, wait for one of their kind, and then for the whole.
 */
export function kindOf(
  read: Pick<WebRead, 'method' | 'fields' | 'directives' | 'isPersonal'>,
  stale: ReadableRecord | undefined,
): FlightKind | undefined {
  const { fields, directives } = read;
  if (directives?.noStore || isDemanding(fields)) return undefined;
  if (read.method === 'HEAD') return 'head';
  if (stale && mayConfirm(stale, fields)) return 'whole';
  if (fields.isConditional) return mayTakeWhole(read) ? 'condition' : undefined;
  if (fields.range === undefined) return 'whole';
  const isHeld = stale !== undefined && !isPart(stale);
  const isOwn = isHeld || fields.ifRange !== undefined || read.isPersonal;
  return !isOwn && parseRange(fields.range).kind !== 'absent' ? 'range' : undefined;
}

/** Whether all of the answer answers `read` as well, which asks for less: it is decided here what of it the client gets. */
export function mayTakeWhole({ method, fields }: Pick<WebRead, 'method' | 'fields'>): boolean {
  if (isDemanding(fields)) return false;
  return method === 'HEAD' || (fields.isConditional && fields.range === undefined);
}

/** What becomes of a read when what it has waited for has landed. */
export type Verdict =
  /** It gets what is held now, or what was held where the origin fails, or the error. */
  | 'told'
  /** It shares the next question. */
  | 'anew'
  /** The same, which is for the whole answer: that may be for all. */
  | 'whole'
  /** It asks for itself at once, since it gets an answer of its own. */
  | 'itself'
  /** It asks for itself when it is its turn: nothing is known of what it gets. */
  | 'in turn';

interface Waited {
  readonly landing: Landing;
  /** Whose answer it is. */
  readonly first: WebRead;
  /** Whether it has waited for no longer than it may. */
  readonly isPatient: boolean;
}

/** What one client gets decides for nobody else: those who have sent something else share the next question while they are patient. */
export function verdictOf(read: WebRead, waited: Waited, own: OwnAnswers): Verdict {
  const { landing, first, isPatient } = waited;
  const mayShare = (times?: number) => isPatient && !read.directives?.noStore && read.mayRepeat(times);
  if (landing.kind === 'alone') return afterAlone(read, landing, first, mayShare, own);
  if (landing.kind === 'stored') return 'told';
  // an origin that fails is not asked the same again
  if (landing.kind === 'stale')
    return landing.isOfRequest && asksOtherwise(read, first) && mayShare() ? 'anew' : 'told';
  // a question that was given up here, to make room for others, is no sign of how the next one fares
  if (isGivenUp(landing.error))
    return asksOtherwise(read, first) && !read.directives?.noStore && read.mayRepeat() ? 'anew' : 'told';
  if (mayBeOfRequest(read, waited)) return mayShare() ? 'anew' : 'in turn';
  // somebody else whose question was asked meanwhile got an answer of its own
  return landing.hasOwnHedge && hasHung(landing) && asksOtherwise(read, first) ? 'in turn' : 'told';
}

/** Whether there is no answer because of what the first has sent; where the origin cannot be reached, nobody gets one. */
function mayBeOfRequest(read: WebRead, { landing, first, isPatient }: Waited): boolean {
  const error = landing.kind === 'failed' ? landing.error : undefined;
  if (!(error instanceof StoreError)) return false;
  if (error.code === 'BROKEN') return true;
  // an origin that has begun to answer can be reached
  if (landing.kind === 'failed' && landing.isBegun) return asksOtherwise(read, first);
  // who has waited for long would wait as long again
  return (error.code === 'INVALID' || (error.code === 'TIMEOUT' && isPatient)) && asksOtherwise(read, first);
}

function isGivenUp(error: unknown): boolean {
  return error instanceof StoreError && (error.reason === GIVEN_UP || error.reason === NO_ANSWER);
}

/** Whether `read` selects the answer that `first` has got. */
export function isSelected(read: WebRead, { answer }: ReadableRecord, first: WebRead): boolean {
  const names = answer?.vary ?? [];
  return read.variantName(names) === first.variantName(names);
}

function afterAlone(
  read: WebRead,
  { because, arrived, record }: AloneLanding,
  first: WebRead,
  mayShare: (times?: number) => boolean,
  own: OwnAnswers,
): Verdict {
  if (because === 'variant') return ofOtherVariant(read, arrived);
  const isAlike = !asksOtherwise(read, first);
  // who has sent something else, a key say, may get something
  const isNothing = record !== undefined && !read.isPersonal && isSelected(read, record, first);
  if (isNothing && isAlike) return 'told';
  // whoever asked anew would wait for the same question
  if (because === 'silent') return 'in turn';
  if (because === 'request' && (!arrived || couldBeForAll(read, arrived))) {
    if (!mayShare()) return 'in turn';
    return mayTakeWhole(read) ? 'whole' : 'anew';
  }
  if (own.isOfEach(read)) return 'itself';
  if (isNothing || because === 'error' || because === 'lost') return mayShare() ? 'anew' : 'in turn';
  // where it takes more than a cookie to be for all, the answer says so (RFC 9111 §3.5)
  if (read.directives?.noStore || isAlike || (because === 'request' && read.isAuthorized)) return 'itself';
  return mayShare(because === 'request' ? 1 : undefined) ? 'anew' : 'in turn';
}

/** However long the head took that has told so, there is a question for each variant now, and not one for each reader. */
function ofOtherVariant(read: WebRead, arrived: AloneLanding['arrived']): Verdict {
  // RFC 9111 §3.5
  const isForItself = read.isAuthorized && arrived && !couldBeForAll(read, arrived);
  if (read.directives?.noStore || isForItself) return 'itself';
  return read.mayRepeat() ? 'anew' : 'in turn';
}

/**
 * What has come of a question that another client has asked, for one who has waited for it.
 *
 * @param forwardStatus what the origin has answered; that of what is kept where it is not told
 */
export function collapsed(
  { answer }: ReadableRecord,
  how: 'fetched' | 'revalidated',
  { waitsBecause }: WebRead,
  forwardStatus = answer?.status,
): LookupOutcome {
  return { how, forwarded: waitsBecause, forwardStatus, ...shared };
}

/** The same while its body has not come yet. */
export function collapsedHead(
  { head: { status }, hasBody }: BegunAnswer,
  { waitsBecause }: Pick<WebRead, 'waitsBecause'>,
): LookupOutcome {
  return {
    how: 'fetched',
    forwarded: waitsBecause,
    forwardStatus: status,
    ...shared,
    isStored: hasBody,
  };
}

const shared = { isCollapsed: true, isStored: true, isCharged: false } as const;
