import fs from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const checkout = path.resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(
  fs.readFileSync(path.join(checkout, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
)
const folder = path.join(checkout, '.cache', `chromium-${version}`)
const common_args = ['--no-sandbox']

/** npm has a Chromium for x64 only; elsewhere an installed one is used. */
export function openChromium(more_args: string[] = []): Promise<Browser> {
  const args = [...common_args, ...more_args]
  return process.arch === 'x64' ? launchPackaged(args) : chromium.launch({ executablePath: findInstalled(), args })
}

function findInstalled(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
  if (!found)
    throw new Error(`npm has no Chromium for ${process.arch}: install one, for example with apt install chromium`)
  return found
}

/** Falls back to the package's libraries and fonts on hosts that lack them. */
async function launchPackaged(args: string[]): Promise<Browser> {
  if (!fs.existsSync(folder)) await unpack()
  const options = { executablePath: path.join(folder, 'chromium'), args }
  try {
    return await chromium.launch(options)
  } catch {
    const LD_LIBRARY_PATH = path.join(folder, 'al2023/lib')
    return await chromium.launch({
      ...options,
      env: { ...process.env, LD_LIBRARY_PATH, FONTCONFIG_PATH: path.join(folder, 'fonts') },
    })
  }
}

/** Unpacks into a draft folder and renames it. The package always unpacks into TMPDIR. */
async function unpack(): Promise<void> {
  const draft = `${folder}.${process.pid}`
  fs.mkdirSync(draft, { recursive: true })
  process.env.TMPDIR = draft
  const { default: packed, inflate } = await import('@sparticuz/chromium')
  await packed.executablePath()
  await inflate(path.join(checkout, 'node_modules/@sparticuz/chromium/bin/al2023.tar.br'))
  delete process.env.TMPDIR
  try {
    fs.renameSync(draft, folder)
  } catch {
    // Another run has unpacked it meanwhile.
    fs.rmSync(draft, { recursive: true })
  }
}
