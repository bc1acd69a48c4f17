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
  const talkShortly = async () => {
    print(await checkAnswers(world, form.answers))
    print(await checkInterruptions(world, form.interruptions))
    print(await checkRandomCalls(world, form.calls))
  }
  // The long call is one of several, so that it can show what the others do to it.
  const [told] = await Promise.all([checkRecording(world, form.recording_minutes), talkShortly()])
  print(told)
  await service.stop()
  print(await checkKills({ ...world, stack, environment, tenant }, form.kills))
}
