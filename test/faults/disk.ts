import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, until } from './client.ts'
import { told, underLoad } from './database.ts'
import type { How, Scenario } from './scenario.ts'
import { folderFor, newTenant, overDatabase, startService } from './service.ts'

const disk_size = '400m'
const full_ms = { long: 20_000, short: 3_000 }
const refused_min = 20
const filler_bytes = 64 * 1024

export const scenario: Scenario = {
  name: 'disk',
  about: 'while the disk is full, writes are answered 503, /ready says so, and nothing is lost',
  run,
}

async function run(how: How): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return how.say('not tried: it takes root on Linux to make a small disk')
  }
  await using stack = new AsyncDisposableStack()
  const folder = folderFor(stack, 'disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${disk_size},mode=0755`, 'tmpfs', folder])
  stack.defer(() => void execFileSync('umount', [folder]))
  const data_dir = path.join(folder, 'data')
  const service = await startService(stack, { DATA_DIR: data_dir })
  const tenant = await overDatabase(data_dir, newTenant)
  const filler = path.join(folder, 'filler')
  const ledger = await underLoad({ how, service }, tenant, async ({ call }, tally) => {
    const { unavailable } = tally
    fill(filler)
    await until('it is not ready', async () => !(await answers(service.url, '/ready')))
    await until('writes are refused', () => tally.unavailable > unavailable + refused_min)
    await sleep(how.is_long ? full_ms.long : full_ms.short)
    fill(filler)
    assert.equal(await answers(service.url, '/ready'), false)
    assert.equal(await answers(service.url, '/health'), true)
    await call('GET', '/contacts')
    fs.rmSync(filler)
    await until('it is ready again', () => answers(service.url, '/ready'))
  })
  how.say(`the disk was full: ${told(ledger)}`)
  await service.stop()
}

/** Leaves no room at all. */
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
