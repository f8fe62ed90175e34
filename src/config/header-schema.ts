import { z } from 'zod';
import { contentDigests } from '../http/content-digests.ts';
import { hopByHopFields } from '../http/hop-by-hop.ts';
import { FIELD_NAME, listOf, map, named, text } from './scalars.ts';

/**
 * Fields that frame an answer, name its content or tell how old it is: caches, ranges and conditional requests rely on them here
 * and at every client.
 */
const ownOfAnswers: readonly string[] = [
  ...hopByHopFields,
  ...contentDigests,
  ...['accept-ranges', 'age', 'cache-status', 'content-encoding', 'content-length', 'content-range', 'date'],
  ...['digest', 'etag', 'last-modified', 'repr-digest', 'vary', 'via', 'x-cache'],
];

const ANSWER_TEXT =
  'the name of a header field other than those of framing, contents, validators, ages and caches, of the store (x-amz-, x-store-) ' +
  'and of CORS, for which there is cors';

/** Names in any case. */
function nameOf(owned: readonly string[], prefixes: readonly string[]): RegExp {
  const names = owned.map(name => `${anyCase(name)}$`);
  return new RegExp(`^(?!${[...names, ...prefixes.map(anyCase)].join('|')})${FIELD_NAME}$`);
}

/** A pattern that goes into descriptions of the schema has no flags. */
function anyCase(text: string): string {
  return text.replace(/[a-z]/g, letter => `[${letter}${letter.toUpperCase()}]`);
}

const givenToClients = nameOf(
  [...ownOfAnswers, 'set-cookie', 'set-cookie2'],
  ['access-control-', 'x-amz-', 'x-store-'],
);
const takenFromClients = nameOf(ownOfAnswers, ['access-control-', 'x-amz-(?!meta-)', 'x-store-(?!meta-)']);

/** Fields that say what is asked for, and those with which the gateway asks itself. */
const ownOfRequests: readonly string[] = [
  ...hopByHopFields,
  ...[
    'accept-encoding',
    'cache-control',
    'date',
    'digest',
    'expect',
    'host',
    'max-forwards',
    'origin',
    'pragma',
    'range',
  ],
  ...['repr-digest', 'traceparent', 'tracestate', 'via', 'want-content-digest', 'want-repr-digest'],
];
const sentPrefixes = ['content-', 'if-', 'x-amz-', 'x-store-'];

const REQUEST_TEXT =
  'the name of a header field other than those that frame a request or say what is asked for, and those of the store (x-amz-, x-store-)';

const givenToOrigins = nameOf(ownOfRequests, sentPrefixes);
const takenFromOrigins = nameOf(
  ownOfRequests.filter(name => name !== 'accept-encoding'),
  sentPrefixes,
);

const VALUE_TEXT = 'the value of a header field: printable ASCII characters';
const value = text(VALUE_TEXT).regex(/^[\x21-\x7e](?:[\t\x20-\x7e]{0,4094}[\x21-\x7e])?$/, {
  error: VALUE_TEXT,
});

const lowerCase = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name.toLowerCase(), text]));

const fields = (name: RegExp, nameText: string) =>
  named(name, nameText, value).default({}).transform(lowerCase);

const names = (name: RegExp, nameText: string) =>
  listOf(
    z.string({ error: nameText }).regex(name, { error: nameText }).toLowerCase(),
    'names of header fields',
  ).default([]);

/** What answers have otherwise than the store or origin has said. */
export const responseHeaders = map({
  set: fields(givenToClients, ANSWER_TEXT),
  add: fields(givenToClients, ANSWER_TEXT),
  remove: names(takenFromClients, ANSWER_TEXT),
});

/** What the store or origin is told otherwise than the client, or the gateway, would say: the same of all clients. */
export const requestHeaders = map({
  set: fields(givenToOrigins, REQUEST_TEXT),
  remove: names(takenFromOrigins, REQUEST_TEXT),
});
