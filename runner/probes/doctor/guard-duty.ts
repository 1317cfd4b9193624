import { GetDetectorCommand, type GuardDutyClient, ListDetectorsCommand } from '@aws-sdk/client-guardduty';
import { callAws } from '../../aws/call.ts';
import type { Found } from '../probe.ts';

/**
 * Finds whether GuardDuty puts agents on EC2 instances by itself. It then makes an endpoint and a security group in their
 * VPC, which outlive them, so that the VPC cannot be deleted with its stack.
 *
 * @throws {AwsCallError}
 */
export async function findRuntimeMonitoring(guardDuty: GuardDutyClient): Promise<Found<true>> {
  const { DetectorIds: [id] = [] } = await callAws('guardduty:ListDetectors', 'this Region', () =>
    guardDuty.send(new ListDetectorsCommand({})),
  );
  if (id === undefined) return { detail: 'not in use', value: true };
  const { Features = [], Status } = await callAws('guardduty:GetDetector', id, () =>
    guardDuty.send(new GetDetectorCommand({ DetectorId: id })),
  );
  const managed =
    Status !== 'DISABLED' &&
    Features.some(
      ({ Name, Status: status, AdditionalConfiguration = [] }) =>
        Name === 'RUNTIME_MONITORING' &&
        status === 'ENABLED' &&
        AdditionalConfiguration.some((part) => part.Name === 'EC2_AGENT_MANAGEMENT' && part.Status === 'ENABLED'),
    );
  if (!managed) return { detail: 'puts no agents on EC2 instances', value: true };
  return {
    detail: 'Runtime Monitoring puts agents on EC2 instances',
    value: true,
    notes: [
      'GuardDuty makes an endpoint in the VPC of every instance that it monitors, and such a VPC cannot be deleted. The driver is tagged GuardDutyManaged=false, so that it is left out. Should a destroy stop at a subnet nevertheless: docs/deploying.md, "When GuardDuty keeps the VPC".',
    ],
  };
}
