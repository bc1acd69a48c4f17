import type { AsyncRouteComponent, RouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LockIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { useCanEdit, useIsOwner, useMembership } from '../kit/session.ts'
import { Empty } from '../kit/states.tsx'
import { labelOf } from '../people/roles.ts'

/** In the place of a page that the role doesn't show. Without a title: in a page that has one. */
export function NeedsRole({ needed, title }: { needed: 'owner' | 'member'; title?: string }) {
  const role = useMembership()?.role ?? 'viewer'
  const said = needed === 'owner' ? 'an owner to see this' : 'a member or an owner to do this'
  const note = (
    <Card is_flush>
      <Empty icon={<LockIcon size={24} />} title={`You need to be ${said}.`}>
        You are a {labelOf(role).toLowerCase()} of this workspace. An owner can change that.
      </Empty>
    </Card>
  )
  return title === undefined ? note : <Page title={title}>{note}</Page>
}

/** A page for owners alone, whoever knows its address. */
export const forOwners = (Shown: LoadedPage, title?: string): RouteComponent =>
  guarded(Shown, () => (useIsOwner() ? <Shown /> : <NeedsRole needed="owner" {...(title && { title })} />))

/** A page for members and owners. */
export const forEditors = (Shown: LoadedPage, title: string): RouteComponent =>
  guarded(Shown, () => (useCanEdit() ? <Shown /> : <NeedsRole needed="member" title={title} />))

type LoadedPage = AsyncRouteComponent<unknown>

/** Its code is still loaded before it is shown. */
const guarded = ({ preload }: LoadedPage, Guarded: () => ReactNode): RouteComponent =>
  preload ? Object.assign(Guarded, { preload }) : Guarded
