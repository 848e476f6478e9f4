/** Bytes on a fresh connection, and the clean outcome of them. */
export type Shape = Readonly<{
  name: string;
  bytes: string | Buffer;
  /** Status codes of the replies, in their order; the connection is closed after the last one. */
  replies: readonly number[];
  /** The client closes its side after the last byte. */
  half?: true;
  /** Bytes that the client breaks the connection off after; nothing comes back then. */
  broken?: true;
}>;

/** The organizations path is real; nothing valid is ever posted to it. */
export function shapesOf(at: string): readonly Shape[] {
  const close = 'Connection: close\r\n';
  const host = 'Host: localhost\r\n';
  const line = (target: string, method = 'GET', version = 'HTTP/1.1') =>
    `${method} ${target} ${version}\r\n`;
  const get = (target: string, headers = host) => `${line(target)}${headers}${close}\r\n`;
  const json = `${host}Content-Type: application/json\r\n`;
  const post = (headers: string, body = '', target = `${at}/accounts`) =>
    `${line(target, 'POST')}${json}${close}${headers}\r\n${body}`;
  const sized = (body: string, headers = '') =>
    post(`Content-Length: ${String(Buffer.byteLength(body))}\r\n${headers}`, body);
  const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);
  const shape = (name: string, bytes: string | Buffer, ...replies: number[]): Shape => ({
    name,
    bytes,
    replies,
  });

  return [
    // Not HTTP at all.
    shape('a greeting', 'hello\r\n\r\n', 400),
    shape('blank lines and nonsense', '\r\n\r\n\r\nnonsense\r\n\r\n', 400),
    shape('a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex'), 400),
    shape('an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n', 400),
    shape('a PostgreSQL start-up', Buffer.from('0000000804d2162f', 'hex'), 400),
    shape('a Redis command', '*1\r\n$4\r\nPING\r\n', 400),
    shape('a proxy protocol line', 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n', 400),
    shape('an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
    shape('a NUL byte', '\0', 400),
    shape('random bytes', Buffer.from('ff00fe01fd02fc03fb04fa05', 'hex'), 400),
    shape('a reply instead of a request', 'HTTP/1.1 200 OK\r\n\r\n', 400),
    shape('UTF-16', Buffer.from(get('/health'), 'utf16le'), 400),

    // The request line.
    shape('HTTP/0.9', 'GET /health\r\n', 408),
    shape('HTTP/1.0 without a host', line('/health', 'GET', 'HTTP/1.0') + '\r\n', 200),
    shape('HTTP/1.0 with a host', line('/health', 'GET', 'HTTP/1.0') + host + '\r\n', 200),
    shape('HTTP/1.2', line('/health', 'GET', 'HTTP/1.2') + host + '\r\n', 400),
    shape('HTTP/9.9', line('/health', 'GET', 'HTTP/9.9') + host + '\r\n', 400),
    shape('a version in lower case', line('/health', 'GET', 'http/1.1') + host + '\r\n', 400),
    shape('no version', 'GET /health \r\n' + host + '\r\n', 400),
    shape('another protocol', 'GET /health RTSP/1.0\r\n\r\n', 200),
    shape('a method in lower case', line('/health', 'get') + host + close + '\r\n', 400),
    shape('an unknown method', line('/health', 'BREW') + host + close + '\r\n', 400),
    shape('a method of WebDAV', line('/health', 'PROPFIND') + host + close + '\r\n', 405),
    shape('TRACE', line('/health', 'TRACE') + host + close + '\r\n', 405),
    shape('CONNECT', line('example.com:443', 'CONNECT') + host + '\r\n', 405),
    shape('CONNECT to a path', line('/health', 'CONNECT') + host + '\r\n', 405),
    shape('OPTIONS of the whole server', line('*', 'OPTIONS') + host + close + '\r\n', 404),
    shape('GET of an asterisk', get('*'), 404),
    shape('a target without a slash', get('health'), 400),
    shape('an empty target', 'GET  HTTP/1.1\r\n' + host + '\r\n', 400),
    shape('a target with a space', get('/health check'), 400),
    shape('a target with a raw byte above ASCII', get('/h\u00e9alth'), 400),
    shape('a target of 20,000 bytes', get(`/${'x'.repeat(20_000)}`), 431),
    shape('a fragment', get('/health#x'), 404),
    shape('dots', get('/../../etc/passwd'), 404),
    shape('encoded dots', get('/%2e%2e/%2e%2e/etc/passwd'), 404),
    shape('a NUL in the target', get('/health\0'), 400),

    // Absolute targets.
    shape('a target of this machine', get('http://localhost/health'), 200),
    shape(
      'a target of this machine, with a foreign host',
      get('http://127.0.0.1/health', 'Host: a.example\r\n'),
      200,
    ),
    shape('a foreign target', get('http://evil.example/health'), 421),
    shape(
      'a foreign target with user information of ours',
      get('http://localhost@evil.example/'),
      400,
    ),
    shape('a target that is only a scheme', get('http://'), 404),
    shape('a target without a host', get('http:///health'), 400),
    shape('a target of another scheme', get('ftp://localhost/health'), 404),
    shape('two slashes and a foreign host', get('//evil.example/health'), 404),

    // Hosts and origins.
    shape('no host', line('/health') + close + '\r\n', 400),
    shape('an empty host', get('/health', 'Host: \r\n'), 400),
    shape('two hosts', get('/health', host + host), 400),
    shape('two different hosts', get('/health', host + 'Host: evil.example\r\n'), 400),
    shape('a foreign host', get('/health', 'Host: evil.example\r\n'), 421),
    shape('a host with a path', get('/health', 'Host: localhost/x\r\n'), 400),
    shape('a host with user information', get('/health', 'Host: a@localhost\r\n'), 400),
    shape('a host with a port that is none', get('/health', 'Host: localhost:x\r\n'), 400),
    shape('a foreign origin', post(`Origin: https://evil.example\r\nContent-Length: 0\r\n`), 403),

    // Header fields.
    shape('a header without a colon', get('/health', host + 'Nonsense\r\n'), 400),
    shape('a header without a name', get('/health', host + ': x\r\n'), 400),
    shape('a space before the colon', get('/health', host + 'X-A : x\r\n'), 400),
    shape('a folded header', get('/health', host + 'X-A: x\r\n  y\r\n'), 400),
    shape('a NUL in a header', get('/health', host + 'X-A: a\0b\r\n'), 400),
    shape('a bare CR in a header', get('/health', host + 'X-A: a\rb\r\n'), 400),
    shape('line ends of LF alone', get('/health').replaceAll('\r\n', '\n'), 400),
    shape(
      '20,000 bytes of one header',
      get('/health', `${host}X-A: ${'a'.repeat(20_000)}\r\n`),
      431,
    ),
    shape('20,000 bytes of many headers', get('/health', host + 'X: y\r\n'.repeat(4000)), 431),
    shape('an expectation nobody knows', get('/health', host + 'Expect: much\r\n'), 200),
    shape('an upgrade to WebSocket', get('/health', `${host}Upgrade: websocket\r\n`), 200),
    shape(
      'an upgrade to HTTP/2',
      `${line('/health')}${host}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      200,
    ),

    // Lengths and framing.
    shape(
      'a length and chunks',
      post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      400,
    ),
    shape('two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), 400),
    shape('two equal lengths', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 400),
    shape('a negative length', post('Content-Length: -1\r\n'), 400),
    shape('a length with a sign', post('Content-Length: +2\r\n', '{}'), 400),
    shape('a length in hexadecimal', post('Content-Length: 0x2\r\n', '{}'), 400),
    shape('a list of lengths', post('Content-Length: 2, 2\r\n', '{}'), 400),
    shape('a length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n'), 400),
    shape('a length of an exabyte', post('Content-Length: 1152921504606846976\r\n'), 413),
    shape('an empty length', post('Content-Length: \r\n'), 400),
    shape(
      'chunks of an unknown coding',
      post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
      400,
    ),
    shape('a transfer coding that is not chunked', post('Transfer-Encoding: gzip\r\n', 'x'), 400),
    shape('chunked, twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400),
    shape('a chunk size that is none', chunked('zz\r\n{}\r\n0\r\n\r\n'), 400),
    shape('a negative chunk', chunked('-2\r\n{}\r\n0\r\n\r\n'), 400),
    shape('a chunk of 2^64 bytes', chunked('10000000000000000\r\n'), 400),
    shape('a chunk longer than it says', chunked('1\r\n{}\r\n0\r\n\r\n'), 400),
    shape(
      'chunk extensions of 20,000 bytes',
      chunked(`2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
      400,
    ),
    shape('trailers', chunked('2\r\n{}\r\n0\r\nX-A: b\r\n\r\n'), 400),
    shape('no body at all', post(''), 400),
    shape('an empty body', post('Content-Length: 0\r\n'), 400),

    // Bodies.
    shape('an empty object', sized('{}'), 400),
    shape('a body that is compressed', sized('{}', 'Content-Encoding: gzip\r\n'), 400),
    shape('a body in an unknown encoding', sized('{}', 'Content-Encoding: x-unheard\r\n'), 400),
    shape('a body of another type', sized('{}').replace('application/json', 'text/plain'), 400),
    shape('two types of one body', sized('{}', 'Content-Type: text/plain\r\n'), 400),
    shape('a body of a megabyte of brackets', sized('['.repeat(1024 * 1024)), 404),
    shape('more than a megabyte', sized(' '.repeat(1024 * 1024 + 1)), 413),
    { ...shape('a body that ends early', post('Content-Length: 100\r\n', '{'), 400), half: true },
    { ...shape('a chunk that ends early', chunked('64\r\n{'), 400), half: true },
    { ...shape('a whole request, then the end', sized('{}').replace(close, ''), 400), half: true },
    { ...shape('headers that end early', line('/health') + host, 400), half: true },
    { ...shape('a connection without a byte', ''), half: true },
    { ...shape('a body that breaks off', post('Content-Length: 100\r\n', '{')), broken: true },
    { ...shape('headers that break off', line('/health') + host), broken: true },
    { ...shape('a request that breaks off at its end', sized('{}')), broken: true },

    // Several requests on one connection.
    shape(
      'a request and nonsense',
      get('/health').replace(close, '') + 'nonsense\r\n\r\n',
      200,
      400,
    ),
    shape(
      'three requests ahead',
      get('/health').replace(close, '').repeat(2) + get('/nothing'),
      200,
      200,
      404,
    ),
    shape('a request behind one that closes', get('/health') + get('/health'), 200),
    shape('a request in the body of another', sized(get('/health')), 400),
    shape('a body on a GET', `${line('/health')}${host}${close}Content-Length: 2\r\n\r\n{}`, 200),
  ];
}
