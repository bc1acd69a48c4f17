import type { ReactNode } from 'react'

const icon = (shape: ReactNode) =>
  function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {shape}
      </svg>
    )
  }

export const HomeIcon = icon(<path d="M4 11.5 12 5l8 6.5M6 10v9h12v-9M10 19v-5h4v5" />)
export const PeopleIcon = icon(
  <>
    <circle cx="9" cy="8" r="3.5" />
    <path d="M3 20c0-3.5 2.7-5.5 6-5.5s6 2 6 5.5M16 4.8a3.5 3.5 0 0 1 0 6.4M17.5 14.9c2.1.7 3.5 2.5 3.5 5.1" />
  </>,
)
export const ImportIcon = icon(<path d="M12 4v11M7.5 10.5 12 15l4.5-4.5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3" />)
export const ExportIcon = icon(<path d="M12 15V4M7.5 8.5 12 4l4.5 4.5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3" />)
export const CodeIcon = icon(<path d="m8.5 7-5 5 5 5M15.5 7l5 5-5 5M13.5 5l-3 14" />)
export const PhoneIcon = icon(
  <path d="M6.5 3.5h3l1.5 4.5-2 1.5a12 12 0 0 0 5.5 5.5l1.5-2 4.5 1.5v3a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 5.5a2 2 0 0 1 2-2Z" />,
)
export const SmsIcon = icon(
  <>
    <rect x="6.5" y="3" width="11" height="18" rx="2.5" />
    <path d="M9.5 8h5M9.5 11h3M11 18h2" />
  </>,
)
export const EditIcon = icon(<path d="m14.5 5.5 4 4L8 20H4v-4L14.5 5.5Z" />)
export const BlockIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="m6 6 12 12" />
  </>,
)
export const AgentIcon = icon(
  <>
    <rect x="4" y="8" width="16" height="11" rx="3" />
    <path d="M12 8V4.5M9 13v1.5M15 13v1.5M2 12.5v3M22 12.5v3" />
  </>,
)
export const SettingsIcon = icon(
  <>
    <path d="M4 7h9M19 7h1M4 17h1M11 17h9" />
    <circle cx="16" cy="7" r="2.5" />
    <circle cx="8" cy="17" r="2.5" />
  </>,
)
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6" />
    <path d="m19.5 19.5-4-4" />
  </>,
)
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />)
export const TagIcon = icon(
  <>
    <path d="M4 5v6.2a2 2 0 0 0 .6 1.4l6.8 6.8a2 2 0 0 0 2.8 0l5.2-5.2a2 2 0 0 0 0-2.8L12.6 4.6A2 2 0 0 0 11.2 4H5a1 1 0 0 0-1 1Z" />
    <path d="M8.5 8.5h.01" />
  </>,
)
export const TrashIcon = icon(
  <path d="M4 7h16M10 11v6M14 11v6M6 7l1 12a1.5 1.5 0 0 0 1.5 1.4h7A1.5 1.5 0 0 0 17 19l1-12M9 7V4.5h6V7" />,
)
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15" r="4" />
    <path d="m11 12 8.5-8.5M16 7l3 3M13.5 9.5l2 2" />
  </>,
)
export const LockIcon = icon(
  <>
    <rect x="5" y="11" width="14" height="9.5" rx="2.5" />
    <path d="M8 11V8a4 4 0 0 1 8 0v3" />
  </>,
)
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2.5" />
    <path d="M15 9V6.5A2.5 2.5 0 0 0 12.5 4h-6A2.5 2.5 0 0 0 4 6.5v6A2.5 2.5 0 0 0 6.5 15H9" />
  </>,
)
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />)
export const ChevronIcon = icon(<path d="m8 10 4 4 4-4" />)
export const SortIcon = icon(<path d="m8.5 9.5 3.5-4 3.5 4M8.5 14.5l3.5 4 3.5-4" />)
export const FilterIcon = icon(<path d="M5 7h14M8 12h8M10.5 17h3" />)
export const UpIcon = icon(<path d="m7 14 5-5 5 5" />)
export const DownIcon = icon(<path d="m7 10 5 5 5-5" />)
export const AlertIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 8v4.5M12 16h.01" />
  </>,
)
export const FileIcon = icon(
  <path d="M14 3.5V8h4.5M6 3.5h8L18.5 8v11.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1ZM9 13h6M9 16.5h6" />,
)
export const UndoIcon = icon(<path d="M9 13.5 4.5 9 9 4.5M4.5 9H14a5.5 5.5 0 0 1 0 11h-3" />)
export const RotateIcon = icon(<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9M19.5 4.5V9H15" />)
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="3.8" />
    <path d="M12 3.5v1.5M12 19v1.5M3.5 12H5M19 12h1.5M6 6l1 1M17 17l1 1M6 18l1-1M17 7l1-1" />
  </>,
)
export const MoonIcon = icon(<path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z" />)
export const ScreenIcon = icon(
  <path d="M5 4.5h14a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-10a1 1 0 0 1 1-1ZM9 20h6M12 16.5V20" />,
)
export const LeaveIcon = icon(
  <path d="M14 4.5H6.5a1 1 0 0 0-1 1v13a1 1 0 0 0 1 1H14M10 12h10M16.5 8.5 20 12l-3.5 3.5" />,
)
export const MoreIcon = icon(
  <>
    <circle cx="6" cy="12" r="1" />
    <circle cx="12" cy="12" r="1" />
    <circle cx="18" cy="12" r="1" />
  </>,
)
export const EventsIcon = icon(<path d="M3.5 12h4l2.5-7 4 14 2.5-7h4" />)
export const WebhookIcon = icon(
  <>
    <path d="M9.2 10.6 6 16.5M12 9l3 6h5" />
    <circle cx="11" cy="7.5" r="3" />
    <circle cx="5.5" cy="17" r="2.5" />
    <circle cx="19" cy="16.5" r="2.5" />
  </>,
)
export const PlugIcon = icon(<path d="M8 3.5V8M16 3.5V8M5.5 8h13v3.5a6.5 6.5 0 0 1-13 0V8ZM12 18v3" />)
export const ClockIcon = icon(<path d="M12 7.5V12l3 2M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z" />)
export const SendIcon = icon(<path d="M20.5 3.5 10 14M20.5 3.5 14 20.5l-4-6.5-6.5-4 17-6.5Z" />)
export const ToolIcon = icon(
  <path d="M14.6 6.5a4.4 4.4 0 0 0-5.7 5.6l-5 5a1.9 1.9 0 0 0 2.9 2.9l5-5a4.4 4.4 0 0 0 5.7-5.6l-2.7 2.6-2.6-.5-.4-2.5 2.8-2.5Z" />,
)
export const ModelIcon = icon(
  <>
    <rect x="7" y="7" width="10" height="10" rx="2.5" />
    <path d="M10 3.5V7M14 3.5V7M10 17v3.5M14 17v3.5M3.5 10H7M3.5 14H7M17 10h3.5M17 14h3.5" />
  </>,
)
export const InboxIcon = icon(
  <path d="M4 13.5 6.5 5h11l2.5 8.5V19a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-5.5ZM4 13.5h4.5a3.5 3.5 0 0 0 7 0H20" />,
)
export const ChatIcon = icon(
  <path d="M4.5 5h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H11l-4.5 3.5V17h-2a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1ZM8 9.5h8M8 12.5h5" />,
)
export const MegaphoneIcon = icon(
  <path d="M4 10v4h3l9 4.5v-13L7 10H4ZM7 14l1.5 5.5h2.5L9.5 15.2M19 9.5a4 4 0 0 1 0 5" />,
)
export const ChannelIcon = icon(
  <>
    <circle cx="12" cy="12" r="2" />
    <path d="M8 16a5.7 5.7 0 0 1 0-8M16 8a5.7 5.7 0 0 1 0 8M5.2 18.8a9.6 9.6 0 0 1 0-13.6M18.8 5.2a9.6 9.6 0 0 1 0 13.6" />
  </>,
)
export const DocsIcon = icon(
  <path d="M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2 2-1.5 4.5-2 8-2v-13c-3.5 0-6 .5-8 2ZM12 6.5v13" />,
)
const handset =
  'M6.5 3.5h3l1.5 4.5-2 1.5a12 12 0 0 0 5.5 5.5l1.5-2 4.5 1.5v3a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 5.5a2 2 0 0 1 2-2Z'
export const OutgoingCallIcon = icon(<path d={`${handset}M15 9l5.5-5.5M16 3.5h4.5V8`} />)
export const IncomingCallIcon = icon(<path d={`${handset}M20.5 3.5 15 9M15 4.5V9h4.5`} />)
export const PlayIcon = icon(<path d="M7.5 4.5v15l12-7.5-12-7.5Z" />)
export const PauseIcon = icon(<path d="M8 5v14M16 5v14" />)
export const SpeakerIcon = icon(
  <path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5H4ZM15.5 9a4.5 4.5 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11" />,
)
export const MutedIcon = icon(<path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5H4ZM16 9.5l5 5M21 9.5l-5 5" />)
export const HangUpIcon = icon(<path d="M3.5 13.5c4.5-5 12.5-5 17 0l-2 3-4-1.5v-3a10 10 0 0 0-5 0v3l-4 1.5-2-3Z" />)
export const MicrophoneIcon = icon(
  <>
    <rect x="9" y="3" width="6" height="11" rx="3" />
    <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />
  </>,
)
export const SidebarIcon = icon(
  <>
    <rect x="3.5" y="4.5" width="17" height="15" rx="2.5" />
    <path d="M9.5 4.5v15" />
  </>,
)
export const ColumnsIcon = icon(<path d="M4.5 4.5h15v15h-15ZM9.5 4.5v15M14.5 4.5v15" />)
