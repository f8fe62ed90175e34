import { describe, expect, it } from 'vitest';
import { formatRestoreDocument, readRestoreDocument } from '../../../src/s3/restore-document.ts';

const root = (content: string, attributes = '') => `<RestoreRequest${attributes}>${content}</RestoreRequest>`;
const codeOf = (text: string) => {
  try {
    return readRestoreDocument(text);
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('the body of a restore', () => {
  it('is written anew from what is known', () => {
    const text = root(
      '<Days>3</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters><Description>a &amp; b</Description>',
    );
    expect(readRestoreDocument(text)).toEqual({
      days: '3',
      tier: 'Bulk',
      description: 'a & b',
    });
    expect(formatRestoreDocument(readRestoreDocument(text))).toBe(
      root(
        '<Days>3</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters><Description>a &amp; b</Description>',
        ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"',
      ),
    );
  });

  it('names the tier with or without parameters of the job, and may say nothing', () => {
    expect(readRestoreDocument(root('<Tier>Standard</Tier>')).tier).toBe('Standard');
    expect(formatRestoreDocument(readRestoreDocument(root('')))).toBe(
      root('', ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'),
    );
  });

  it.each(['OutputLocation', 'SelectParameters', 'Type'])('with %s would be written elsewhere', name => {
    expect(codeOf(root(`<Days>1</Days><${name}>SELECT</${name}>`))).toBe('NotImplemented');
  });

  it.each([
    ['another root', '<Restore/>'],
    ['a root with a prefix', '<a:RestoreRequest xmlns:a="b"/>'],
    ['an element with a prefix', root('<a:OutputLocation/>', ' xmlns:a="b"')],
    ['an unknown element', root('<Days>1</Days><Owner/>')],
    ['an element in a value', root('<Days><OutputLocation/></Days>')],
    ['a value twice', root('<Days>1</Days><Days>2</Days>')],
    [
      'more than a tier for the job',
      root('<GlacierJobParameters><Tier>Bulk</Tier><S3/></GlacierJobParameters>'),
    ],
    ['no end', '<RestoreRequest>'],
    ['a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${root('')}`],
  ])('is malformed with %s', (_, text) => {
    expect(codeOf(text)).toBe('MalformedXML');
  });
});
