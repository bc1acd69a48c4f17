import type { AsyncRouteComponent, RouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LockIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { useCanEdit, useIsOwner, useMembership } from '../kit/session.ts'
import { EmptyState } from '../kit/states.tsx'
import { roleWithArticle } from '../people/roles.ts'

/** Replaces content that the role may not see. Without a title it renders inside another page. */
export function RoleRequired({ needed, title }: { needed: 'owner' | 'member'; title?: string }) {
  const role = useMembership()?.role ?? 'viewer'
  const rule = needed === 'owner' ? 'Only owners can view this page' : 'Only members and owners can do this'
  const message = (
    <Card is_flush>
      <EmptyState icon={<LockIcon size={24} />} title={rule}>
        You are {roleWithArticle(role)} of this workspace. An owner can change your role.
      </EmptyState>
    </Card>
  )
  return title === undefined ? message : <Page title={title}>{message}</Page>
}

export const ownersOnly = (PageComponent: LazyPage, title?: string): RouteComponent =>
  guarded(PageComponent, () =>
    useIsOwner() ? <PageComponent /> : <RoleRequired needed="owner" {...(title && { title })} />,
  )

export const editorsOnly = (PageComponent: LazyPage, title: string): RouteComponent =>
  guarded(PageComponent, () => (useCanEdit() ? <PageComponent /> : <RoleRequired needed="member" title={title} />))

type LazyPage = AsyncRouteComponent<unknown>

/** Guards a page, and keeps `preload`, so that the router still loads the code on hover. */
const guarded = ({ preload }: LazyPage, Guarded: () => ReactNode): RouteComponent =>
  preload ? Object.assign(Guarded, { preload }) : Guarded
