import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

const loadActions = () => import('./speech-actions.ts')

const note = `
Agents then hear and speak in calls without an account anywhere, in English. npm downloads 142 MB, which need 341 MB
of disk while they are installed; about 60 to 120 MB stay. Nothing is installed twice, and an interrupted install can be
repeated. A running service uses it at once.

It is installed into SPEECH_DIR, by default the folder speech in DATA_DIR or, without DATA_DIR, in .cache.
docs/licenses.md lists the licenses.`

export function addSpeechCommands(program: Command, shell: Shell, isJson: () => boolean): void {
  const group = program
    .command('speech')
    .summary('Offline speech')
    .description('Install what hears and speaks in calls without a provider')
  group
    .command('install')
    .description('Download and install offline speech')
    .addHelpText('after', note)
    .action(async () => (await loadActions()).installSpeech(shell, { is_json: isJson() }))
  group
    .command('status')
    .description('Print whether offline speech is installed, and where')
    .action(async () => (await loadActions()).printStatus(shell, { is_json: isJson() }))
}
