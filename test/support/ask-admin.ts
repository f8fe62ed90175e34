import { request } from 'node:http';

interface AdminQuestion {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface AdminAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Asks a port of the loopback interface; through node:http rather than fetch, which sets Host itself. */
export function askAdmin(port: number, path: string, question: AdminQuestion = {}): Promise<AdminAnswer> {
  const { method = 'GET', headers = {}, body } = question;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject).end(body);
  });
}
