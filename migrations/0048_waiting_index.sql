-- without a transaction
-- The longest wait first, and trials.
drop index concurrently if exists conversations_waiting;
create index concurrently conversations_waiting on conversations (workspace_id, waiting_since, id) where status = 'handed_over';
drop index concurrently if exists conversations_trials;
create index concurrently conversations_trials on conversations (workspace_id, created_at, id) where is_test;
-- Conversations that were handed over before. The agent is silent since then, so its last words tell when that was. After an answer
-- of a person, the contact's next words begin the wait. This finds them by the index above, and locks no others.
update conversations set waiting_since = waiting.since
  from (
    select workspace_id, id,
      case when max(human_seq) > max(agent_seq) then min(said_at) filter (where role = 'contact' and seq > human_seq)
        else coalesce(max(said_at) filter (where role = 'agent'), min(created_at)) end as since
    from (
      select conversation.workspace_id, conversation.id, conversation.created_at, seq, role, turn.created_at as said_at,
        coalesce(max(seq) filter (where role = 'human') over of_conversation, 0) as human_seq,
        coalesce(max(seq) filter (where role = 'agent') over of_conversation, 0) as agent_seq
      from conversations as conversation
      left join conversation_turns as turn
        on turn.workspace_id = conversation.workspace_id and turn.conversation_id = conversation.id
      where conversation.status = 'handed_over' and conversation.waiting_since is null
      window of_conversation as (partition by conversation.workspace_id, conversation.id)
    ) as turns
    group by workspace_id, id
  ) as waiting
  where conversations.workspace_id = waiting.workspace_id and conversations.id = waiting.id
    and conversations.status = 'handed_over' and conversations.waiting_since is null;
