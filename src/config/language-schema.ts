import { z } from 'zod';
import { mayBeOffered } from '../http/accept-language.ts';
import { listOf } from './scalars.ts';

const LANGUAGE_TEXT = 'a language tag such as de or pt-BR';

/** RFC 5646 §2.1, as far as Accept-Language can name it (RFC 4647 §2.1). */
const languageTag = z
  .string({ error: LANGUAGE_TEXT })
  .regex(/^(?=.{1,35}$)[A-Za-z]{2,8}(?:-[A-Za-z\d]{1,8})*$/, { error: LANGUAGE_TEXT });

/** What languages a site has, the one first that it prefers among those that a client likes equally. */
export const languages = listOf(languageTag, 'language tags such as de or pt-BR')
  .refine(mayBeOffered, {
    error: 'at most 64 language tags, which take 1,024 characters at most with nine more for each',
  })
  .refine(tags => new Set(tags.map(tag => tag.toLowerCase())).size === tags.length, {
    error: 'each language tag once, in whatever case',
  });
