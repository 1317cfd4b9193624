import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';

/** The topic that announces that the stack deletes itself: the user's own, or one in the stack for a mail address. */
export class Notice extends Construct {
  readonly topicArn: string;

  constructor(scope: Construct, id: string, notify: NonNullable<Experiment['notify']>) {
    super(scope, id);
    if ('topicArn' in notify) {
      this.topicArn = notify.topicArn;
      return;
    }
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(notify.email));
    this.topicArn = topic.topicArn;
  }
}
