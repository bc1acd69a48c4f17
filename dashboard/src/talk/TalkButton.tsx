import { Button, Drawer } from '@mantine/core'
import { useState } from 'react'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import { MicrophoneIcon } from '../kit/icons.tsx'
import { useCover } from '../kit/unsaved.tsx'
import { Talk } from './Talk.tsx'

interface TalkButtonProps {
  agent: AgentWithDraft
  /** The contact who speaks, as far as the agent knows. */
  contact_id?: string | undefined
  /** Saves the draft. Resolves to whether all of it is saved. */
  save: () => Promise<boolean>
}

/** Opens a call with the draft, through the browser's microphone. */
export function TalkButton({ agent, contact_id, save }: TalkButtonProps) {
  const [is_open, setOpen] = useState(false)
  const [is_talking, setTalking] = useState(false)
  const close = () => setOpen(false)
  useCover(is_open)
  return (
    <>
      <Button variant="default" size="xs" leftSection={<MicrophoneIcon size={15} />} onClick={() => setOpen(true)}>
        Talk
      </Button>
      <Drawer.Root
        opened={is_open}
        onClose={close}
        position="right"
        size={480}
        lockScroll={false}
        padding="lg"
        // A click beside it must not end a call.
        closeOnClickOutside={!is_talking}
        closeOnEscape={!is_talking}
      >
        <Drawer.Overlay backgroundOpacity={0.25} />
        <Drawer.Content aria-label={`Talk to ${agent.name}`}>
          <Drawer.Header>
            <Drawer.Title>Talk to {agent.name}</Drawer.Title>
            <Drawer.CloseButton aria-label="Close" />
          </Drawer.Header>
          <Drawer.Body>
            <Talk agent={agent} contact_id={contact_id} save={save} onTalking={setTalking} />
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    </>
  )
}
