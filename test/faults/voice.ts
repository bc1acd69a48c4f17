import path from 'node:path'
import { openEars } from '../support/ears.ts'
import { ensureSpeech, speech_folder } from '../support/speech.ts'
import { voiceApi } from '../support/voice-calls.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { makeTempFolder, newTenant, startService, withEmbeddedPool } from './service.ts'
import { checkAnswers } from './voice/answers.ts'
import { checkInterruptions } from './voice/interruptions.ts'
import { checkKills } from './voice/kills.ts'
import { checkRandomCalls } from './voice/random-calls.ts'
import { checkRecording } from './voice/recording.ts'

export const scenario: Scenario = {
  name: 'voice',
  about: 'people talk to agents: they are understood, can interrupt, and no call is lost when a process or a socket is',
  run,
}

interface Form {
  answers: { count: number; noises: (number | undefined)[] }
  interruptions: number
  calls: number
  recording_minutes: number
  kills: number
}

const formOf = ({ is_long, rounds, minutes }: RunOptions): Form =>
  is_long
    ? {
        answers: { count: 40, noises: [undefined, 20, 10, 5] },
        interruptions: Math.ceil(rounds / 5),
        calls: rounds,
        recording_minutes: minutes,
        kills: Math.ceil(rounds / 5),
      }
    : {
        answers: { count: 5, noises: [undefined, 10] },
        interruptions: 2,
        calls: 5,
        recording_minutes: 2 / 3,
        kills: 2,
      }

async function run(options: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { random, print } = options
  const form = formOf(options)
  const DATA_DIR = path.join(makeTempFolder(stack, 'voice'), 'data')
  const environment = { DATA_DIR, SPEECH_DIR: speech_folder, DRAIN_SECONDS: '0' }
  await ensureSpeech()
  const ears = openEars()
  stack.defer(() => ears.close())
  const service = await startService(stack, environment)
  const tenant = await withEmbeddedPool(DATA_DIR, newTenant)
  const world = { api: voiceApi(() => service.url, tenant.key), ears, random }
  const failures: unknown[] = []
  // A miss of one part says nothing about the others, which take long.
  const check = (told: Promise<string>) =>
    told.then(print, (error: unknown) => {
      failures.push(error)
      print(`missed: ${error instanceof Error ? error.message : error}`)
    })
  const talkShortly = async () => {
    await check(checkAnswers(world, form.answers))
    await check(checkInterruptions(world, form.interruptions))
    await check(checkRandomCalls(world, form.calls))
  }
  // The long call is one of several, so that it can show what the others do to it.
  await Promise.all([check(checkRecording(world, form.recording_minutes)), talkShortly()])
  await service.stop()
  await check(checkKills({ ...world, stack, environment, tenant }, form.kills))
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of the parts have missed`)
}
