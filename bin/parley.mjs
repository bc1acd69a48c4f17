#!/usr/bin/env node
import { run } from './run.mjs'

await run('server/cli/parley.ts', process.argv.slice(2))
