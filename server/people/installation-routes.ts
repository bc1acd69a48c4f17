import { newTool } from '../kit/at.ts'
import * as operation from '../kit/http/operation.ts'
import { Problem } from '../kit/problem.ts'
import { InstallationStatus } from './installation-schema.ts'
import * as people from './store.ts'
import { requireSession } from './visitor.ts'

export const installationStatus = newTool<() => Promise<InstallationStatus>>()

/** The operations about all workspaces, which only the owners of the first one see. */
export const installation_operations: operation.Operation[] = [
  operation.get({
    id: 'installation.get',
    path: '/installation',
    scope: 'person:read',
    summary: 'Get the status of the installation',
    response: InstallationStatus,
    run: async (at, request) => {
      const { is_operator } = await people.toSession(at, requireSession(request))
      if (!is_operator) throw notAllowed()
      return installationStatus.of(at)()
    },
  }),
]

const notAllowed = () =>
  new Problem(
    'FORBIDDEN',
    'Only owners of the first workspace may see the installation. On the server, use the command line: status.',
    { required_role: 'owner' },
  )
