import { about, findInstalled, install } from '../audio/speech-install.ts'
import { readConfig } from '../config.ts'
import { product } from '../product.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { stopSignal } from './stop-signal.ts'

interface Options {
  is_json: boolean
}

/** Progress is printed again after this many bytes, unless it is on a terminal. */
const progress_step_bytes = 50_000_000

export async function installSpeech(shell: Shell, { is_json }: Options): Promise<void> {
  const { speech_dir: folder } = readConfig(shell.env)
  const console = consoleOf(shell)
  if (!is_json && !findInstalled(folder)) console.error(introduce(folder))
  const signal = stopSignal(shell)
  try {
    await install({ folder, signal, onProgress: is_json ? () => {} : openProgress(shell) })
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  printStatus(shell, { is_json })
}

export function printStatus(shell: Shell, { is_json }: Options): void {
  const { speech_dir: folder } = readConfig(shell.env)
  const installed = findInstalled(folder)
  const { languages, licenses } = about
  const speech = {
    is_installed: installed !== undefined,
    version: installed?.version ?? null,
    folder,
    folder_bytes: installed?.bytes ?? 0,
    languages,
    licenses,
  }
  const text = installed
    ? `Offline speech ${installed.version} is installed in ${folder}: ${toMegabytes(installed.bytes)} MB, ${languages.join(', ')}.`
    : `Offline speech is not installed in ${folder}. Install it with: ${product.short_name} speech install`
  consoleOf(shell).log(is_json ? JSON.stringify({ speech }) : text)
}

const introduce = (folder: string): string =>
  [
    `Installing offline speech (${about.languages.join(', ')}) into ${folder}.`,
    `It downloads ${toMegabytes(about.download_bytes)} MB, needs ${toMegabytes(about.unpacked_bytes)} MB of disk meanwhile and keeps about ${toMegabytes(about.folder_bytes)} MB:`,
    ...about.licenses.map(({ name, license }) => `  ${name} (${license})`),
  ].join('\n')

function openProgress(shell: Shell) {
  const is_terminal = shell.stderr.isTTY === true
  let last = { message: '', done_bytes: 0 }
  return ({ message, done_bytes, total_bytes }: { message: string; done_bytes: number; total_bytes: number }): void => {
    const is_next = message !== last.message
    if (!is_next && (is_terminal ? done_bytes === last.done_bytes : done_bytes < last.done_bytes + progress_step_bytes))
      return
    const line = `${message}: ${toMegabytes(done_bytes)} of ${toMegabytes(total_bytes)} MB`
    if (!is_terminal) shell.stderr.write(`${line}\n`)
    else shell.stderr.write(`${is_next && last.message !== '' ? '\n' : '\r'}${line}`)
    if (is_terminal && message !== 'Downloading packages') shell.stderr.write('\n')
    last = { message, done_bytes }
  }
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1_000_000)
