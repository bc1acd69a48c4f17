import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOk, waitUntil } from './client.ts'
import { describeTally, underLoad } from './database.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { makeTempFolder, newTenant, startService, withEmbeddedPool } from './service.ts'

const disk_size = '400m'
const full_ms = { long: 20_000, short: 300 }
const rejected_min = 20
const filler_bytes = 64 * 1024

export const scenario: Scenario = {
  name: 'disk',
  about: 'while the disk is full, writes and /ready get 503, and nothing is lost',
  run,
}

async function run(options: RunOptions): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return options.print('skipped: a small disk needs root on Linux')
  }
  await using stack = new AsyncDisposableStack()
  const folder = makeTempFolder(stack, 'disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${disk_size},mode=0755`, 'tmpfs', folder])
  stack.defer(() => void execFileSync('umount', [folder]))
  const data_dir = path.join(folder, 'data')
  const service = await startService(stack, { DATA_DIR: data_dir })
  const tenant = await withEmbeddedPool(data_dir, newTenant)
  const filler = path.join(folder, 'filler')
  const ledger = await underLoad({ options, service }, tenant, async ({ call }, tally) => {
    const { unavailable } = tally
    fill(filler)
    await waitUntil('the server is not ready', async () => !(await isOk(service.url, '/ready')))
    await waitUntil('writes are rejected', () => tally.unavailable > unavailable + rejected_min)
    await sleep(options.is_long ? full_ms.long : full_ms.short)
    fill(filler)
    assert.equal(await isOk(service.url, '/ready'), false)
    assert.equal(await isOk(service.url, '/health'), true)
    await call('GET', '/contacts')
    fs.rmSync(filler)
    await waitUntil('the server is ready again', () => isOk(service.url, '/ready'))
  })
  options.print(`the disk was full: ${describeTally(ledger)}`)
  await service.stop()
}

/** Leaves no free byte. */
function fill(filler: string): void {
  const bytes = Buffer.alloc(filler_bytes)
  const file = fs.openSync(filler, 'a')
  try {
    while (true) fs.writeSync(file, bytes)
  } catch (error) {
    assert.equal(Object(error).code, 'ENOSPC')
  } finally {
    fs.closeSync(file)
  }
}
