import type { AsyncRouteComponent, RouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LockIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { useCanEdit, useIsOwner, useMembership } from '../kit/session.ts'
import { Empty } from '../kit/states.tsx'
import { withArticle } from '../people/roles.ts'

/** In the place of a page that the role doesn't show. Without a title: in a page that has one. */
export function NeedsRole({ needed, title }: { needed: 'owner' | 'member'; title?: string }) {
  const role = useMembership()?.role ?? 'viewer'
  const rule = needed === 'owner' ? 'Only owners can view this page' : 'Only members and owners can do this'
  const note = (
    <Card is_flush>
      <Empty icon={<LockIcon size={24} />} title={rule}>
        You are {withArticle(role)} of this workspace. An owner can change your role.
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
