const crm_names: Record<string, string> = {
  activecampaign: 'ActiveCampaign',
  hubspot: 'HubSpot',
  zoho: 'Zoho CRM',
}

/** Names a CRM. An unknown one is shown by its key: "pipedrive" is "Pipedrive". */
export const crmName = (system: string): string => crm_names[system] ?? system.charAt(0).toUpperCase() + system.slice(1)
