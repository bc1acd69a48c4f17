import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useApi } from './api.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { Dialog } from './Dialog.tsx'
import { NewSecret } from './NewSecret.tsx'
import { showToast } from './toast.ts'

interface WithSecret {
  id: string
  secret: string
}

/** The dialog that is open, on something that has a signing secret. */
export type SignedDialog<One> =
  | { kind: 'create' }
  | { kind: 'secret'; one: WithSecret }
  | { kind: 'edit' | 'rotate' | 'delete'; one: One }

export interface FormProps {
  onSaved: (saved: WithSecret) => unknown
  onCancel: () => void
}

interface SignedDialogsProps<One> {
  /** The noun, such as "webhook". */
  noun: string
  /** The name of the list in the addresses of pages and of the API. */
  list: 'webhooks' | 'tools'
  dialog: SignedDialog<One> | undefined
  onChange: (dialog: SignedDialog<One> | undefined) => void
  /** Renders the form. With undefined it creates one. */
  form: (one: One | undefined, props: FormProps) => ReactNode
  /** Says what is lost when one is deleted. */
  delete_text: string
}

/** Shows one dialog at a time. A new secret opens the dialog that shows it. */
export function SignedDialogs<One extends { id: string }>({
  noun,
  list,
  dialog,
  onChange,
  form,
  delete_text,
}: SignedDialogsProps<One>) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const params = { workspace: api.workspace }
  const close = () => onChange(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, list] })
  const showSecret = async (one: WithSecret) => {
    onChange({ kind: 'secret', one })
    await refresh()
  }
  const closeAndRefresh = async () => {
    close()
    await refresh()
  }
  const rotate = async (id: string) => {
    const one = await api.send<WithSecret>('POST', `/${list}/${id}/rotate_secret`)
    await refresh()
    // The dialog changes after the confirmation has closed, which would reset it.
    setTimeout(() => onChange({ kind: 'secret', one }))
  }
  const remove = async (id: string) => {
    await api.send('DELETE', `/${list}/${id}`)
    showToast(`${noun.charAt(0).toUpperCase()}${noun.slice(1)} deleted.`)
    await navigate({ to: `/w/$workspace/${list}`, params })
    await client.invalidateQueries({ queryKey: [api.workspace, list, 'list'] })
  }
  const kind = dialog?.kind
  const is_confirmation = kind === 'rotate' || kind === 'delete'
  const title = kind === 'secret' ? 'Signing secret' : `${kind === 'create' ? 'New' : 'Edit'} ${noun}`
  const one = dialog && 'one' in dialog ? dialog.one : undefined
  return (
    <>
      <Dialog is_open={dialog !== undefined && !is_confirmation} title={title} size="lg" onClose={close}>
        {dialog?.kind === 'create' && form(undefined, { onSaved: showSecret, onCancel: close })}
        {dialog?.kind === 'edit' && form(dialog.one, { onSaved: closeAndRefresh, onCancel: close })}
        {dialog?.kind === 'secret' && (
          <NewSecret
            value={dialog.one.secret}
            onDone={() => {
              close()
              void navigate({ to: `/w/$workspace/${list}/$id`, params: { ...params, id: dialog.one.id } })
            }}
          />
        )}
      </Dialog>
      <ConfirmDialog
        is_open={kind === 'rotate'}
        title="Rotate the signing secret?"
        confirm_label="Rotate secret"
        onClose={close}
        onConfirm={async () => one && (await rotate(one.id))}
      >
        You get a new secret. The previous secret works for another 24 hours.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={kind === 'delete'}
        title={`Delete this ${noun}?`}
        confirm_label={`Delete ${noun}`}
        onClose={close}
        onConfirm={async () => one && (await remove(one.id))}
      >
        {delete_text} This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
