import { AdminError, type AdminRoute } from '../admin-route.ts';
import { sendJson } from '../json.ts';
import { documentRoute } from '../page-document.ts';
import { ownHtml, ownPageFiles } from '../page-file.ts';
import type { PageLink } from '../page-navigation.ts';

/** What is cached of an object, as JSON; undefined when the bucket is unknown. */
export type Explain = (bucket: string, key: string) => Promise<object | undefined>;

/** `GET /api/object` and the page that shows it and purges; `/objects?bucket=B&key=K&version=V` leads to an object. */
export function objectRoutes(explain: Explain, navigation: readonly PageLink[]): readonly AdminRoute[] {
  return [
    objectRoute(explain),
    documentRoute({
      ...{ path: '/objects', title: 'Object look-up · Tidegate', navigation },
      styles: ['/objects/page/objects.css'],
      script: '/objects/page/objects.js',
      body: ownHtml('objects/page/objects.html'),
    }),
    ...ownPageFiles(
      'objects/page/objects.css',
      'objects/page/objects.js',
      'objects/page/describe-record.js',
      'objects/page/record-name.js',
    ),
  ];
}

/** `GET /api/object?bucket=B&key=K`: records, freshness, blocks per tier. */
function objectRoute(explain: Explain): AdminRoute {
  return {
    method: 'GET',
    path: '/api/object',
    async handle(request, response) {
      const query = new URL(request.url ?? '/', 'http://admin').searchParams;
      const [bucket, key] = [required(query, 'bucket'), required(query, 'key')];
      const held = await explain(bucket, key);
      if (!held) throw new AdminError(404, 'UNKNOWN_BUCKET', 'no bucket of this name is configured');
      sendJson(response, 200, held);
    },
  };
}

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (!value) throw new AdminError(400, 'INVALID_QUERY', `the parameter ${name} is missing`);
  return value;
}
