/** Actions of the driver's policy whose refusal the rehearsal cannot show, and why. docs/rehearsal.md lists them. */
export const unprovenPermissions: Readonly<Record<string, string>> = {
  'cloudwatch:GetMetricData':
    'It is asked only about trials in which a minute lies wholly, and the rehearsed ones are shorter.',
  'kms:Decrypt':
    'The emulator’s services encrypt nothing; it stands in the policy only where something has its own key.',
  'kms:GenerateDataKey':
    'The emulator’s services encrypt nothing; it stands in the policy only where something has its own key.',
  'ssm:UpdateInstanceInformation': 'The agent of Session Manager is not on the rehearsed machine.',
  'ssmmessages:CreateControlChannel': 'The agent of Session Manager is not on the rehearsed machine.',
  'ssmmessages:CreateDataChannel': 'The agent of Session Manager is not on the rehearsed machine.',
  'ssmmessages:OpenControlChannel': 'The agent of Session Manager is not on the rehearsed machine.',
  'ssmmessages:OpenDataChannel': 'The agent of Session Manager is not on the rehearsed machine.',
};
