import { systemIds } from '#src/adapters/system.ts';
import { serveHttp } from '#src/http/threads/serve-http.ts';

serveHttp(systemIds());
