import fs from 'node:fs'
import path from 'node:path'
import { readStaticFiles, type SiteAnswer, type SiteRequest } from '../kit/http/static-site.ts'
import { notFound } from '../kit/problem.ts'

const page_headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'permissions-policy': 'microphone=(self)',
}

/** Pages of other origins load these files at each visit. */
const shared_headers = {
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
}

/** Pages of these origins may show the page in a frame. `self` includes the socket of the same host; worklets are scripts. */
const policyFor = (origins: string[]): string =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  `frame-ancestors ${["'self'", ...origins].join(' ')}; base-uri 'none'; form-action 'none'`

export interface VisitorPage {
  /** A file below /assets. Throws if there is none. */
  answerFile: (url: string, headers: SiteRequest['headers']) => SiteAnswer
  /** As `answerFile`, for pages of other origins. */
  answerSharedFile: (url: string, headers: SiteRequest['headers']) => SiteAnswer
  /** Answers with the page. Its script reads the attributes of its body. */
  answerPage: (attributes: string, origins: string[]) => SiteAnswer
  /** Answers with a page that says that there is nobody to talk to. */
  answerUnavailable: (origins: string[]) => SiteAnswer
}

/** Reads a page that visitors open, and its files, from the folder of its build. */
export function readVisitorPage(folder: string): VisitorPage {
  const findFile = readStaticFiles(folder)
  const [page, unavailable] = ['index.html', 'unavailable.html'].map((name) => readText(path.join(folder, name)))
  const answerFile: VisitorPage['answerFile'] = (url, headers) => {
    const file = findFile(url, headers)
    if (!file) throw notFound()
    return file
  }
  const answer = (status: number, body: string | undefined, origins: string[]): SiteAnswer => {
    if (body === undefined) throw notFound()
    return { status, headers: { ...page_headers, 'content-security-policy': policyFor(origins) }, body }
  }

  return {
    answerFile,
    answerSharedFile: (url, headers) => {
      const file = answerFile(url, headers)
      return { ...file, headers: { ...file.headers, ...shared_headers } }
    },
    answerPage: (attributes, origins) =>
      answer(
        200,
        page?.replace('<body>', () => `<body${attributes}>`),
        origins,
      ),
    answerUnavailable: (origins) => answer(404, unavailable, origins),
  }
}

/** Returns undefined if there is no such file. */
const readText = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined)
