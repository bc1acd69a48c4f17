import fs from 'node:fs'
import path from 'node:path'
import { newPageBuild } from './build-page.ts'

/** `node voice/build.ts FOLDER` builds the page of web voice, the module that makes calls and its worklet. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node voice/build.ts FOLDER')

const { buildPage, buildScript } = newPageBuild(import.meta.dirname, folder)
await Promise.all([
  buildPage(),
  // Other pages import these two.
  buildScript('voice', { formats: ['es'] }),
  buildScript('worklet', { formats: ['es'] }),
])
fs.copyFileSync(path.join(import.meta.dirname, 'src/types.ts'), path.join(folder, 'assets/voice.d.ts'))
