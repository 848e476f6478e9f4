import { serve } from './cli/serve.ts';

process.exit(await serve());
