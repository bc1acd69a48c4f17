import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type * as voice from '../../voice/src/types.ts'

declare global {
  /** A type of the DOM, whose types tests don't have. */
  interface MediaTrackConstraints {
    deviceId?: string
  }
}

/** Samples that a worklet gets at a time. */
const quantum = 128
const source = (name: string): string => pathToFileURL(`${import.meta.dirname}/../../voice/src/${name}`).href

interface Processor {
  process: (inputs: Float32Array[][], outputs: Float32Array[][]) => boolean
}

/** What the module for calls needs of a browser, with a device whose time goes as fast as the test lets it. */
export interface FakeBrowser {
  connect: typeof voice.connect
  /** What the microphone takes at a time in seconds, from -1 to 1. */
  microphone: (second: number) => number
  /** What the loudspeaker has played. */
  played: number[]
  tracks: { enabled: boolean; readyState: string }[]
  contexts: { state: string }[]
  /** How getUserMedia fails, if it does. */
  refusal: Error | undefined
  /** How the load of the worklet fails, if it does. */
  worklet_refusal: Error | undefined
  /** What the load of the worklet and the start of the sound wait for, if they do. */
  worklet_loading: Promise<void> | undefined
  resuming: Promise<void> | undefined
  /** An error in the worklet, after which browsers don't call it any more. */
  breakWorklet: () => void
  /** Lets so much time of the device pass. Messages are delivered meanwhile. */
  run: (ms: number) => Promise<void>
  /** Lets time pass until it is true. */
  runUntil: (isTrue: () => boolean) => Promise<void>
  /** An event of the page, such as `offline`. */
  dispatch: (name: string) => void
  close: () => void
}

/** Everything that the browser adds to the process is gone when it is closed. Only one can be open. */
export async function openFakeBrowser(device_rate = 48_000): Promise<FakeBrowser> {
  const running = new Set<FakeNode>()
  let registered: (new () => Processor) | undefined
  let clock = 0

  class FakeNode {
    readonly port: MessagePort
    readonly processor: Processor
    onprocessorerror: (() => void) | null = null

    constructor() {
      if (!registered) throw new Error('the worklet is not loaded')
      const { port1, port2 } = new MessageChannel()
      this.port = port1
      worklet_port = port2
      this.processor = new registered()
      ports.push(port1, port2)
      running.add(this)
    }

    connect<T>(to: T): T {
      return to
    }

    disconnect(): void {
      running.delete(this)
    }
  }

  let worklet_port: MessagePort | undefined
  const ports: MessagePort[] = []
  const browser: FakeBrowser = {
    connect: () => {
      throw new Error('not loaded')
    },
    microphone: () => 0,
    played: [],
    tracks: [],
    contexts: [],
    refusal: undefined,
    worklet_refusal: undefined,
    worklet_loading: undefined,
    resuming: undefined,
    breakWorklet: () => {
      for (const node of running) {
        running.delete(node)
        node.onprocessorerror?.()
      }
    },
    run: async (ms) => {
      for (let left = Math.round((ms * device_rate) / 1_000 / quantum); left > 0; left -= 1) {
        passQuantum()
        if (left % 4 === 0) await nextTurn()
      }
    },
    runUntil: async (isTrue) => {
      for (let tries = 0; !isTrue(); tries += 1) {
        if (tries > 20_000) throw new Error('it never became true')
        await browser.run(10)
        // Lets sockets and timers go on.
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    dispatch: (name) => void page.dispatchEvent(new Event(name)),
    close: () => {
      for (const port of ports) port.close()
      for (const [name, before] of Object.entries(replaced)) Object.assign(globalThis, { [name]: before })
      Reflect.deleteProperty(navigator, 'mediaDevices')
    },
  }

  function passQuantum(): void {
    for (const node of running) {
      const input = Float32Array.from({ length: quantum }, (_, index) =>
        browser.tracks.at(-1)?.enabled ? browser.microphone((clock + index) / device_rate) : 0,
      )
      const output = new Float32Array(quantum)
      if (!node.processor.process([[input]], [[output]])) running.delete(node)
      browser.played.push(...output)
    }
    clock += quantum
  }

  class FakeContext {
    state = 'suspended'
    sampleRate = device_rate
    destination = {}
    audioWorklet = {
      addModule: async () => {
        await browser.worklet_loading
        if (browser.worklet_refusal) throw browser.worklet_refusal
        await import(`${source('worklet.ts')}?rate=${device_rate}`)
      },
    }
    onstatechange = null

    constructor() {
      browser.contexts.push(this)
    }

    async resume(): Promise<void> {
      await browser.resuming
      this.state = 'running'
    }

    async close(): Promise<void> {
      this.state = 'closed'
    }

    createMediaStreamSource = () => ({ connect: <T>(to: T): T => to, disconnect: () => {} })
  }

  const page = new EventTarget()
  const added = {
    isSecureContext: true,
    AudioContext: FakeContext,
    AudioWorkletNode: FakeNode,
    AudioWorkletProcessor: class {
      readonly port = worklet_port
    },
    registerProcessor: (_name: string, processor: new () => Processor) => {
      registered = processor
    },
    sampleRate: device_rate,
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  }
  const replaced = Object.fromEntries(Object.keys(added).map((name) => [name, Reflect.get(globalThis, name)]))
  Object.assign(globalThis, added)
  Object.defineProperty(navigator, 'mediaDevices', {
    configurable: true,
    value: {
      getUserMedia: async () => {
        if (browser.refusal) throw browser.refusal
        const track = {
          enabled: true,
          readyState: 'live',
          onended: null,
          stop: () => {
            track.readyState = 'ended'
          },
        }
        browser.tracks.push(track)
        return { getTracks: () => [track], getAudioTracks: () => [track] }
      },
    },
  })
  browser.connect = (await import(source('voice.ts'))).connect
  return browser
}
