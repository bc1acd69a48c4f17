import { useCanEdit } from '../kit/session.ts'
import { Tabs } from '../kit/Tabs.tsx'

const contacts = { to: '/w/$workspace/contacts', name: 'All contacts' } as const
const imports = { to: '/w/$workspace/imports', name: 'Imports' } as const
const suppressions = { to: '/w/$workspace/suppressions', name: 'Do not contact' } as const

export const ContactTabs = () => (
  <Tabs label="Contacts" tabs={useCanEdit() ? [contacts, imports, suppressions] : [contacts, imports]} />
)
