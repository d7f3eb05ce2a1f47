// A server on loopback that answers what a test tells it to.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: any;
}

export interface Answer {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** Bytes that are written as they are; then the connection is closed. */
export class Raw {
  constructor(readonly bytes: string) {}
}

/** No answer until the test lets it go; then this one. */
export class Hang {
  readonly came: Promise<void>;
  go!: () => void;
  arrived!: () => void;
  readonly gone: Promise<void>;

  constructor(readonly then: Answer) {
    this.came = new Promise((done) => (this.arrived = done));
    this.gone = new Promise((done) => (this.go = done));
  }
}

export const said = (value: unknown, status = 200): Answer => ({
  status,
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

export const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  body: JSON.stringify({ type: `/problems/${code}`, title: code, status, detail: 'why', code, request_id: 'req_1', ...more }),
  headers: { 'content-type': 'application/problem+json', ...headers },
});

/** What a proxy shows. */
export const page = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  body: '<html>sorry</html>',
  headers: { 'content-type': 'text/html', ...headers },
});

/** Answers one scripted thing after the other, and the last one for ever. */
export class Peer {
  readonly asked: Asked[] = [];
  url = '';
  readonly #server: Server;

  private constructor(readonly script: (Answer | Raw | Hang)[]) {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', async () => {
        const sent = Buffer.concat(parts).toString();
        const { method = '', url = '', headers } = request;
        this.asked.push({ method, path: url, headers, body: sent ? JSON.parse(sent) : null });
        let scripted = this.script.length > 1 ? this.script.shift()! : this.script[0]!;
        if (scripted instanceof Hang) {
          scripted.arrived();
          await scripted.gone;
          scripted = scripted.then;
        }
        if (scripted instanceof Raw) {
          request.socket.end(scripted.bytes);
          return;
        }
        response.writeHead(scripted.status, scripted.headers).end(scripted.body);
      });
    });
  }

  static async start(...script: (Answer | Raw | Hang)[]): Promise<Peer> {
    const peer = new Peer(script);
    await new Promise<void>((done) => peer.#server.listen(0, '127.0.0.1', done));
    peer.url = `http://127.0.0.1:${(peer.#server.address() as AddressInfo).port}`;
    return peer;
  }

  /** A header of every request. */
  sent(header: string): unknown[] {
    return this.asked.map((asked) => asked.headers[header]);
  }

  /** Nothing listens any more. */
  async away(): Promise<void> {
    for (const scripted of this.script) if (scripted instanceof Hang) scripted.go();
    if (!this.#server.listening) return;
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeAllConnections();
    await closed;
  }
}
