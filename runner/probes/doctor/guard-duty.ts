import { GetDetectorCommand, type GuardDutyClient, ListDetectorsCommand } from '@aws-sdk/client-guardduty';
import { callAws } from '../../aws/call.ts';
import type { Found } from '../probe.ts';

/**
 * Finds out whether GuardDuty automatically puts agents on EC2 instances. If so, it also makes an endpoint and a
 * security group in their VPC. These outlive the instances, so the VPC cannot be deleted with its stack.
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
  if (!managed) return { detail: 'does not put agents on EC2 instances', value: true };
  return {
    detail: 'Runtime Monitoring puts agents on EC2 instances',
    value: true,
    notes: [
      'GuardDuty makes an endpoint in the VPC of every instance that it monitors, and such a VPC cannot be deleted. The driver has the tag GuardDutyManaged=false, so that GuardDuty leaves it out. If a destroy still stops at a subnet, see docs/deploying.md, "When GuardDuty keeps the VPC".',
    ],
  };
}
