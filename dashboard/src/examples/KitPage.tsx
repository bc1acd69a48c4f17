import { Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { PeopleIcon } from '../kit/icons.tsx'
import { NewSecret } from '../kit/NewSecret.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { Status, type Tone } from '../kit/Status.tsx'
import { EmptyState, ErrorAlert } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { showErrorMessage, showToast } from '../kit/toast.ts'
import { UnsavedGuard, useUnsaved } from '../kit/unsaved.tsx'

/**
 * Shows everything of kit/ on one page, at /kit. Only builds for development have it: `rm -r .cache/dashboard &&
 * NODE_ENV=development npm start`.
 */
export const KitPage = () => (
  <main id="main">
    <UnsavedGuard>
      <Page title="Kit">
        <Stack>
          <Statuses />
          <Buttons />
          <Rows />
          <Layers />
          <Card title="States">
            <EmptyState icon={<PeopleIcon size={20} />} title="No contacts yet">
              Add a contact, import a CSV file or use the API.
            </EmptyState>
            <ErrorAlert>Couldn’t save. Try again.</ErrorAlert>
          </Card>
        </Stack>
      </Page>
    </UnsavedGuard>
  </main>
)

const statuses: [Tone, string][] = [
  ['success', 'Delivered'],
  ['warning', 'Retrying'],
  ['danger', 'Failed'],
  ['neutral', 'Disabled'],
  ['live', 'In progress'],
]

const Statuses = () => (
  <Card title="Status">
    {statuses.map(([tone, name]) => (
      <p key={tone}>
        <Status tone={tone}>{name}</Status>
      </p>
    ))}
  </Card>
)

const Buttons = () => (
  <Card title="Buttons and toasts">
    <Button onClick={() => showToast('Saved.')}>Action</Button>{' '}
    <Button variant="default" onClick={() => showErrorMessage('Couldn’t save.')}>
      Other action
    </Button>{' '}
    <Button variant="subtle">Quiet action</Button> <Button color="red">Dangerous action</Button>
  </Card>
)

interface Person {
  id: string
  name: string
  tone: Tone
  calls: number
}

const people_count = 10_000
const people: Person[] = Array.from({ length: people_count }, (_, index) => ({
  id: String(index),
  name: `Person ${index}`,
  tone: statuses[index % statuses.length]?.[0] ?? 'neutral',
  calls: (index * 37) % 100,
}))

const columns: Column<Person>[] = [
  { id: 'name', name: 'Name', cell: ({ name }) => <Link to="/">{name}</Link> },
  { id: 'status', name: 'Status', cell: ({ tone }) => <Status tone={tone}>{tone}</Status> },
  { id: 'calls', name: 'Calls', is_number: true, is_sortable: true, width: '80px', cell: ({ calls }) => calls },
]

function Rows() {
  const [selected, setSelected] = useState<ReadonlyMap<string, Person>>(new Map())
  const [sort, setSort] = useState('name')
  return (
    <>
      <Table label="Loading" columns={columns} rows={undefined} getRowId={({ id }) => id} />
      <Table
        label="People"
        columns={columns}
        rows={people}
        getRowId={({ id }) => id}
        remember_as="kit"
        sort={sort}
        onSort={setSort}
        selection={{
          selected,
          onChange: setSelected,
          nameOf: ({ name }) => name,
          total: people.length,
          loadAll: async () => people,
          actions: (
            <Button size="xs" variant="default">
              Add tag
            </Button>
          ),
        }}
      />
    </>
  )
}

function Layers() {
  const [open, setOpen] = useState<'dialog' | 'drawer' | 'secret'>()
  const close = () => setOpen(undefined)
  return (
    <Card title="Dialog, drawer and secret">
      <Button onClick={() => setOpen('dialog')}>Dialog</Button>{' '}
      <Button onClick={() => setOpen('drawer')}>Drawer</Button>{' '}
      <Button onClick={() => setOpen('secret')}>Secret</Button>
      <Dialog is_open={open === 'dialog'} title="Dialog" onClose={close}>
        <Form onDone={close} />
      </Dialog>
      <Drawer
        is_open={open === 'drawer'}
        label="Drawer"
        title="Drawer"
        link={<Link to="/">Open page</Link>}
        onClose={close}
      >
        <Form onDone={close} />
      </Drawer>
      <Dialog is_open={open === 'secret'} title="New secret" onClose={close}>
        <NewSecret value="whsec_example" onDone={close} />
      </Dialog>
    </Card>
  )
}

function Form({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState('')
  useUnsaved(text !== '')
  return (
    <Stack>
      <TextInput label="Name" value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      <FormButtons label="Save" onCancel={onDone} onClick={onDone} />
    </Stack>
  )
}
