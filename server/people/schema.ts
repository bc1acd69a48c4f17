import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { email, id, oneOf, optionalText, text, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'
import { roles } from './roles.ts'

export type { Role } from './roles.ts'

const Email = text(email)
const Name = text({ maxLength: 200 })
const Role = oneOf(roles)
const NewPassword = text({ minLength: 10, maxLength: 200 })
const Password = text({ maxLength: 200 })
const WorkspaceName = text({ maxLength: 200 })

const closed = <Fields extends TProperties>(fields: Fields): TObject<Fields> =>
  Type.Object(fields, { additionalProperties: false })

export const Person = Type.Object({ id: id(''), email: Email, name: Name })
export type Person = Static<typeof Person>

const Kind = oneOf(['live', 'test'])

export const Workspace = Type.Object({
  id: id(''),
  name: WorkspaceName,
  kind: Kind,
  role: Role,
  default_country: Type.Union([Type.String(), Type.Null()], {
    description: 'The country of phone numbers that people type without a country code.',
  }),
  is_locked: Type.Boolean({
    description: 'Whether it requires two-factor sign-in and this session has none: its operations then answer 403.',
  }),
})

/** The person who is signed in, with their workspaces. */
export const Session = Type.Object({
  person: Person,
  workspaces: Type.Array(Workspace),
  is_operator: Type.Boolean({ description: 'Whether the person is an owner of the first workspace.' }),
  has_two_factor: Type.Boolean({ description: 'Whether the person signs in with two factors.' }),
})
export type Session = Static<typeof Session>

/** The answer about the current session. Without one, `person` is null: asking is not an error. */
export const CurrentSession = Type.Object({
  person: Type.Union([Person, Type.Null()]),
  workspaces: Type.Array(Workspace),
  is_operator: Type.Boolean(),
  has_two_factor: Type.Boolean(),
  is_set_up: Type.Boolean({ description: 'Whether there is a person who can sign in.' }),
})
export type CurrentSession = Static<typeof CurrentSession>

/** A code of an authenticator app, or a recovery code. */
const Code = text({ maxLength: 40 })

/** People who have two-factor sign-in send a code too. Without it, the error's `reason` is `code_required`. */
export const SignIn = closed({ email: Email, password: Password, code: Type.Optional(Code) })
export type SignIn = Static<typeof SignIn>

export const NewPerson = closed({ email: Email, name: Name, password: NewPassword })
export type NewPerson = Static<typeof NewPerson>

/** A new person sends all fields, the person who is signed in none. */
export const Acceptance = closed({
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  password: Type.Optional(NewPassword),
})
export type Acceptance = Static<typeof Acceptance>

export const PasswordChange = closed({ current_password: Password, new_password: NewPassword })
export type PasswordChange = Static<typeof PasswordChange>

export const PasswordLink = Type.Object({ link: Type.String(), expires_at: timestamp('') })
export type PasswordLink = Static<typeof PasswordLink>

/** What anyone who has a password link sees. */
export const OpenPasswordLink = Type.Object({ email: Email })
export type OpenPasswordLink = Static<typeof OpenPasswordLink>

export const NewPasswordByLink = closed({ new_password: NewPassword })

export const PasswordChanged = Type.Object({ changed: Type.Literal(true) })

export const TwoFactor = Type.Object({ is_on: Type.Boolean(), recovery_codes_left: Type.Integer() })
export type TwoFactor = Static<typeof TwoFactor>

/** The secret of an authenticator app. `url` is for a QR code, `secret` to be typed. */
export const TwoFactorSecret = Type.Object({ secret: Type.String(), url: Type.String() })
export type TwoFactorSecret = Static<typeof TwoFactorSecret>

/** The recovery codes, which are shown once. */
export const RecoveryCodes = Type.Object({ recovery_codes: Type.Array(Type.String()) })
export type RecoveryCodes = Static<typeof RecoveryCodes>

/** The body that turns two-factor sign-in on or off. */
export const TwoFactorChange = closed({ password: Password, code: Code })
export type TwoFactorChange = Static<typeof TwoFactorChange>

export const PersonChange = closed({ name: Name })

/** The body of a new workspace. `now` is for test workspaces: when its clock begins. */
export const NewWorkspace = closed({
  name: WorkspaceName,
  kind: Type.Optional(Kind),
  now: Type.Optional(timestamp('')),
})
export type NewWorkspace = Static<typeof NewWorkspace>

export const OpenSession = Type.Object({
  id: id(''),
  created_at: timestamp(''),
  last_used_at: timestamp(''),
  user_agent: Type.String(),
  is_current: Type.Boolean(),
})
export type OpenSession = Static<typeof OpenSession>

export const Member = Type.Object({
  person_id: id(''),
  email: Email,
  name: Name,
  role: Role,
  has_two_factor: Type.Boolean(),
  created_at: timestamp(''),
})
export type Member = Static<typeof Member>

export const MemberChange = closed({ role: Role })

export const ByPerson = Type.Object({ person_id: id('') })

const invitation = { id: id(''), role: Role, email: optionalText(email), expires_at: timestamp('') }

export const Invitation = Type.Object({ ...invitation, created_at: timestamp('') })
export type Invitation = Static<typeof Invitation>

export const InvitationWithLink = Type.Object({ ...invitation, link: Type.String() })
export type InvitationWithLink = Static<typeof InvitationWithLink>

export const NewInvitation = closed({ role: Role, email: Type.Optional(optionalText(email)) })
export type NewInvitation = Static<typeof NewInvitation>

/** What anyone who has an invitation's link sees. */
export const OpenInvitation = Type.Object({
  workspace: Type.Object({ name: WorkspaceName }),
  role: Role,
  email: optionalText(email),
  invited_by: Name,
})
export type OpenInvitation = Static<typeof OpenInvitation>

export const ByToken = Type.Object({ token: text() })

export const Setup = Type.Object({ kind: Type.Literal('setup') })

/** The query of short lists: one page usually holds all items. */
export const Query = page.query({ limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }) })
export type Query = Static<typeof Query>
