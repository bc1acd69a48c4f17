import * as audit from '../audit/store.ts'
import { type At, atWall, inTransaction, type Service } from '../kit/at.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { invalid, Problem } from '../kit/problem.ts'
import { asPerson, changeAndRecord } from '../people/audit.ts'
import { hashPassword } from '../people/password.ts'
import * as password_links from '../people/password-links.ts'
import type { Role } from '../people/roles.ts'
import { NewPerson, type Person } from '../people/schema.ts'
import * as people from '../people/store.ts'
import * as two_factor from '../people/two-factor.ts'
import type { Shell } from '../start/shell.ts'
import * as workspaces from '../workspaces/store.ts'
import { findWorkspace } from './choose-workspace.ts'
import { askSecret } from './prompt.ts'
import { type Answer, formatTable } from './run.ts'

export interface NewUser {
  name?: string
  workspace?: string
  role: Role
}

export interface NewMember {
  workspace: string
  role: Role
}

export async function createUser(service: Service, shell: Shell, email: string, options: NewUser): Promise<Answer> {
  const chosen = options.workspace === undefined ? undefined : await findWorkspace(service, options.workspace)
  const name = options.name ?? email.split('@')[0]
  const emailInUse = () => new Problem('CONFLICT', `there is already a person ${email}`)
  validatePerson({ email, name, password: 'checked after the prompt' })
  if (await people.findByEmail({ db: service.pool }, email.trim())) throw emailInUse()
  const input = validatePerson({ email, name, password: await askSecret(shell, 'Password: ') })
  const password_hash = await hashPassword(input.password)
  const { person, workspace } = await inTransaction(atWall(service, ''), async (at) => {
    const created = await people.create(at, { ...input, password_hash })
    if (!created) throw emailInUse()
    const [oldest] = await workspaces.list(at)
    const workspace = chosen ?? oldest ?? (await workspaces.create(at, { name: workspaces.default_name }))
    if (!workspace) throw new Problem('CONFLICT', 'the service is creating the first workspace: try again')
    await addMember({ ...at, workspace: workspace.id }, { person_id: created.id, role: options.role })
    return { person: created, workspace }
  })
  return memberAnswer(person, workspace, options.role)
}

export async function joinUser(service: Service, email: string, { workspace: name, role }: NewMember): Promise<Answer> {
  const workspace = await findWorkspace(service, name)
  const { password_hash: _, ...person } = await findPerson(service, email)
  const join = (at: At) => addMember(at, { person_id: person.id, role })
  if (!(await inTransaction(atWall(service, workspace.id), join))) {
    throw new Problem('CONFLICT', `${person.email} is already a member of "${workspace.name}"`)
  }
  return memberAnswer(person, workspace, role)
}

/** Adds a member. Returns false when the person already is one. */
async function addMember(at: At, member: { person_id: string; role: Role }): Promise<boolean> {
  const is_new = await people.join(at, member)
  if (is_new) await audit.record(at, { action: 'members.create', subject: asPerson(member.person_id) })
  return is_new
}

const memberAnswer = (person: Person, { id, name }: workspaces.ListedWorkspace, role: Role): Answer => ({
  data: { person, workspace: { id, name, role } },
  text: `${person.email} is ${role} of "${name}".`,
})

export async function setPassword(service: Service, shell: Shell, email: string): Promise<Answer> {
  const { password_hash: before, ...person } = await findPerson(service, email)
  const { password } = validatePerson({ ...person, password: await askSecret(shell, 'New password: ') })
  const after = await hashPassword(password)
  const change = async (at: At) => {
    if (!(await people.setPassword(at, { id: person.id, before, after }))) {
      throw new Problem('CONFLICT', 'the password was changed by another request: try again')
    }
  }
  await changeAndRecord(atWall(service, ''), change, () => ({ action: 'password.update', person_id: person.id }))
  return { data: { person }, text: `${person.email} has a new password and is signed out everywhere.` }
}

export async function createPasswordLink(service: Service, email: string): Promise<Answer> {
  const { password_hash: _, ...person } = await findPerson(service, email)
  const link = { person_id: person.id, link_start: `${service.tools.address()}${password_links.path}` }
  const created = await changeAndRecord(
    atWall(service, ''),
    (at) => password_links.create(at, link),
    () => ({ action: 'password_links.create', person_id: person.id }),
  )
  const lines = [
    created.link,
    `With this link ${person.email} sets a new password. It works once, for an hour. Earlier links no longer work.`,
  ]
  return { data: { person, ...created }, text: lines.join('\n') }
}

export async function resetTwoFactor(service: Service, email: string): Promise<Answer> {
  const { password_hash: _, ...person } = await findPerson(service, email)
  if (!(await two_factor.reset(atWall(service, ''), person.id))) {
    throw new Problem('INVALID_STATE', `${person.email} doesn't use two-factor sign-in`)
  }
  return {
    data: { person },
    text: `Two-factor sign-in of ${person.email} is off, and they are signed out everywhere. They sign in with the password alone.`,
  }
}

export async function listUsers(service: Service): Promise<Answer> {
  const all = await people.list({ db: service.pool })
  const rows = all.map(({ id, email, name, workspaces, has_two_factor, created_at }) => {
    const joined = workspaces.map((workspace) => `${workspace.name} (${workspace.role})`)
    return [id, email, name, joined.join(', '), has_two_factor ? 'yes' : 'no', created_at]
  })
  return {
    data: { people: all },
    text: formatTable(['ID', 'EMAIL', 'NAME', 'WORKSPACES', 'TWO-FACTOR', 'CREATED'], rows),
  }
}

async function findPerson(service: Service, email: string): Promise<people.PersonWithHash> {
  const person = await people.findByEmail({ db: service.pool }, email.trim())
  if (!person) throw new Problem('NOT_FOUND', `there is no person ${email}`)
  return person
}

/** Validates a person by the same rules as the dashboard's setup page. */
function validatePerson({ email, name, password }: Record<string, unknown>): NewPerson {
  const { value, faults } = validate(NewPerson as RequestSchema, { email, name, password })
  if (faults.length > 0) throw invalid(faults)
  // The value was validated against the schema that the type comes from.
  return value as NewPerson
}
