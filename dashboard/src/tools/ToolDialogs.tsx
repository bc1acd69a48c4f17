import type { Tool } from '../../../server/tools/schema.ts'
import { type SignedDialog, SignedDialogs } from '../kit/SignedDialogs.tsx'
import { ToolForm } from './ToolForm.tsx'

export type ToolDialog = SignedDialog<Tool>

interface ToolDialogsProps {
  dialog: ToolDialog | undefined
  onChange: (dialog: ToolDialog | undefined) => void
}

export const ToolDialogs = ({ dialog, onChange }: ToolDialogsProps) => (
  <SignedDialogs
    noun="tool"
    list="tools"
    dialog={dialog}
    onChange={onChange}
    form={(tool, props) => <ToolForm {...(tool && { tool })} {...props} />}
    delete_text="Its secret and headers are deleted."
  />
)
