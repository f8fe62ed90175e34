import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { errorBody, parseErrorBody } from '../../../src/s3/error-body.ts';

const ids = { requestId: 'R1', hostId: 'H1' };

describe('errorBody', () => {
  it('writes Code, Message, the own fields and the ids, in that order (docs/semantics.md 10, 202)', () => {
    const fields = [
      ['RangeRequested', 'bytes=-0'],
      ['ActualObjectSize', '10'],
    ] as const;
    expect(errorBody({ code: 'InvalidRange', message: 'no', fields, ...ids })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>InvalidRange</Code><Message>no</Message>' +
        '<RangeRequested>bytes=-0</RangeRequested><ActualObjectSize>10</ActualObjectSize>' +
        '<RequestId>R1</RequestId><HostId>H1</HostId></Error>',
    );
  });

  it('escapes what a key may hold (docs/semantics.md 227)', () => {
    const body = errorBody({ code: 'NoSuchKey', message: '', fields: [['Key', 'a<b>&"\'c\r\n']], ...ids });
    expect(body).toContain("<Key>a&lt;b&gt;&amp;&quot;'c&#13;\n</Key>");
  });

  it('replaces characters that XML cannot carry', () => {
    const body = errorBody({
      code: 'NoSuchKey',
      message: '',
      fields: [['Key', 'a\u0000b\u001f\ud800\uffff']],
      ...ids,
    });
    expect(body).toContain('<Key>a\ufffdb\ufffd\ufffd\ufffd</Key>');
    expect(XMLValidator.validate(body)).toBe(true);
  });

  it('leaves out a field whose name would break the document', () => {
    const body = errorBody({
      code: 'X',
      message: '',
      fields: [
        ['a><b', 'v'],
        ['X-Amz-Expires', '1'],
      ],
      ...ids,
    });
    expect(new XMLParser({ parseTagValue: false }).parse(body).Error).toEqual({
      Code: 'X',
      Message: '',
      'X-Amz-Expires': '1',
      RequestId: 'R1',
      HostId: 'H1',
    });
  });
});

describe('parseErrorBody', () => {
  it("reads a store's error without its ids and without Resource", () => {
    const body =
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The key &amp; more</Message>' +
      '<Key>a&lt;b&#x20;&#13;</Key><Resource>/b/k</Resource><RequestId>r</RequestId><HostId>h</HostId></Error>';
    expect(parseErrorBody(Buffer.from(body))).toEqual({
      code: 'NoSuchKey',
      message: 'The key & more',
      fields: [['Key', 'a<b \r']],
    });
  });

  it('leaves out how a request was signed, in fields of any name and in the message (law 7)', () => {
    const header = 'AWS4-HMAC-SHA256 Credential=OURS/x';
    const body = (message: string) =>
      `<Error><Code>InvalidArgument</Code><Message>${message}</Message><Own>${header}</Own>` +
      '<StringToSign>OURS</StringToSign><ArgumentName>max-keys</ArgumentName></Error>';
    const fields = [['ArgumentName', 'max-keys']];
    expect(parseErrorBody(body('No.'))).toEqual({ code: 'InvalidArgument', message: 'No.', fields });
    expect(parseErrorBody(body(`not ${header}`))).toEqual({
      ...{ code: 'InvalidArgument', fields },
      message: 'Invalid Argument',
    });
  });

  it('reads a body with line breaks, a namespace and empty elements', () => {
    const body =
      '<Error xmlns="http://s3/doc">\n  <Code>AccessDenied</Code>\n  <Message/>\n  <Detail></Detail>\n</Error>\n';
    expect(parseErrorBody(body)).toEqual({ code: 'AccessDenied', message: '', fields: [['Detail', '']] });
  });

  it('takes names that every object has for names like others', () => {
    const body = '<Error><Code>X</Code><__proto__>a</__proto__><constructor>b</constructor></Error>';
    expect(parseErrorBody(body)?.fields).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it.each([
    ['nothing', ''],
    ['a web page', '<html><body>502</body></html>'],
    ['an error cut short', '<Error><Code>NoSuchKey</Code><Mess'],
    ['an error without a code', '<Error><Message>m</Message></Error>'],
    ['a document type', '<!DOCTYPE x [<!ENTITY a "b">]><Error><Code>&a;</Code></Error>'],
    ['plain text', 'upstream connect error'],
    ['a hundred nested elements', `<Error><Code>X</Code>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</Error>`],
    ['a document of the name of every prototype', '<__proto__><Code>X</Code></__proto__>'],
    ['a body of a megabyte', `<Error><Code>X</Code><Message>${'x'.repeat(1_000_000)}</Message></Error>`],
  ])('does not take %s for an error', (_, body) => {
    expect(parseErrorBody(body)).toBeUndefined();
  });

  it('reads no body of more elements than an error has', () => {
    const body = (count: number) => `<Error><Code>A</Code>${'<b/>'.repeat(count)}</Error>`;
    expect(parseErrorBody(body(900))?.code).toBe('A');
    expect(parseErrorBody(body(1000))).toBeUndefined();
  });
});
