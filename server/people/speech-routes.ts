import { type InstallStatus, speechInstaller } from '../audio/speech-install.ts'
import { SpeechStatus } from '../audio/speech-schema.ts'
import type { At } from '../kit/at.ts'
import * as operation from '../kit/http/operation.ts'
import { Problem } from '../kit/problem.ts'
import type { FoundSession } from './sessions.ts'
import * as people from './store.ts'
import { requireSession } from './visitor.ts'

/**
 * The operations on offline speech. It belongs to the whole service, and takes its disk, so the owners of the first
 * workspace decide.
 */
export const speech_operations: operation.Operation[] = [
  operation.get({
    id: 'speech.get',
    path: '/speech',
    scope: 'person:read',
    summary: 'Get the status of offline speech',
    response: SpeechStatus,
    run: async (at, request) =>
      toStatus(speechInstaller.of(at).readStatus(), await mayInstall(at, requireSession(request))),
  }),
  operation.write({
    id: 'speech.install',
    method: 'POST',
    path: '/speech',
    scope: 'person:write',
    summary: 'Install offline speech',
    response: SpeechStatus,
    status: 202,
    run: async (at, request) => {
      if (!(await mayInstall(at, requireSession(request)))) throw notAllowed()
      speechInstaller.of(at).start()
      return toStatus(speechInstaller.of(at).readStatus(), true)
    },
  }),
]

const toStatus = (status: InstallStatus, may_install: boolean): SpeechStatus => ({ ...status, may_install })

const mayInstall = async (at: At, person: FoundSession): Promise<boolean> =>
  (await people.toSession(at, person)).is_operator

const notAllowed = () =>
  new Problem(
    'FORBIDDEN',
    'Only owners of the first workspace may install offline speech. On the server, use the command line: speech install.',
    { required_role: 'owner' },
  )
