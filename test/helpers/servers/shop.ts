import path from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { withClient } from '../../../runner/process/client.ts';
import { requireSuccess } from '../../../runner/process/run-command.ts';
import { connectionString } from '../../../runner/postgres/target.ts';
import { type LocalCluster, queryOn } from './local-cluster.ts';

/** A server on which the shop can be: it counts statements. */
export const counting = { shared_preload_libraries: 'pg_stat_statements', autovacuum: false };

/** Tables of a shop, with values of many types and spreads. */
const shopSchema = `
CREATE TYPE state AS ENUM ('new', 'paid', 'sent', 'returned');
CREATE TABLE customer (
  id int PRIMARY KEY, email text NOT NULL UNIQUE, country varchar(2) NOT NULL, born date, is_active bool NOT NULL,
  balance numeric(10, 2) NOT NULL, seen timestamptz NOT NULL);
CREATE TABLE product (
  id uuid PRIMARY KEY, name text NOT NULL, price numeric(8, 2) NOT NULL, weight real, stock smallint NOT NULL, size float8);
CREATE TABLE orders (
  id bigint PRIMARY KEY, customer int NOT NULL REFERENCES customer, placed timestamp NOT NULL, state state NOT NULL,
  note text, total numeric(10, 2) NOT NULL);
CREATE INDEX orders_by_customer ON orders (customer);
CREATE INDEX orders_by_time ON orders (placed);
CREATE TABLE line (
  "order" bigint NOT NULL REFERENCES orders, position int NOT NULL, product uuid NOT NULL REFERENCES product,
  count int NOT NULL, PRIMARY KEY ("order", position));
CREATE TABLE visit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer int, page text, at timestamptz NOT NULL);
CREATE VIEW big_orders AS SELECT * FROM orders WHERE total > 900;
SELECT setseed(0.5);
INSERT INTO customer
  SELECT i, 'user' || i || '@example.com', (ARRAY['de', 'de', 'de', 'fr', 'fr', 'it'])[1 + floor(random() * 6)::int],
    date '1950-01-01' + (random() * 20000)::int, random() < 0.9, round((random() * 500)::numeric, 2),
    timestamptz '2026-01-01 00:00:00+00' + random() * interval '300 days'
  FROM generate_series(1, 5000) AS i;
INSERT INTO product
  SELECT md5(i::text)::uuid, 'It''s product: ' || i || ' – "x" \\ y', round((1 + random() * 99)::numeric, 2), random() * 10,
    (random() * 100)::int, CASE WHEN i % 4 > 0 THEN i * 0.5 END
  FROM generate_series(1, 500) AS i;
INSERT INTO orders
  SELECT i * 10, 1 + floor(5000 * random() ^ 3)::int, timestamp '2026-01-01' + i * interval '10 minutes',
    (ARRAY['new', 'paid', 'paid', 'sent', 'sent', 'sent', 'sent', 'sent', 'sent', 'returned'])[1 + floor(random() * 10)::int]::state,
    CASE WHEN random() < 0.3 THEN 'gift' WHEN random() < 0.1 THEN 'fragile' END, round((random() * 1000)::numeric, 2)
  FROM generate_series(1, 20000) AS i;
INSERT INTO line SELECT i * 10, p, md5((1 + (i * 7 + p) % 500)::text)::uuid, 1 + p FROM generate_series(1, 20000) AS i, generate_series(1, 2) AS p;
INSERT INTO visit (customer, page, at)
  SELECT CASE WHEN random() < 0.7 THEN 1 + (random() * 4999)::int END, '/page/' || (random() * 20)::int, now() - random() * interval '30 days'
  FROM generate_series(1, 10000);
`;

const customer = '\\set c random(1, 5000)\n';
const order = '\\set o 10 * random(1, 20000)\n';
const product = '\\set p random(1, 500)\n';

/** What its users do, each with a weight, as scripts of pgbench. */
export const shopStatements: readonly (readonly [number, string])[] = [
  [200, `${customer}SELECT * FROM customer WHERE id = :c;`],
  [150, `${customer}SELECT id, placed, total FROM orders WHERE customer = :c ORDER BY placed DESC LIMIT 10;`],
  [120, `${order}SELECT o.*, c.email FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = :o;`],
  [100, `${order}SELECT product, count FROM line WHERE "order" = :o;`],
  [80, `${product}SELECT name, price FROM product WHERE id = md5(:p::text)::uuid;`],
  [60, "SELECT id FROM customer WHERE email = 'user77@example.com';"],
  [50, "SELECT count(*) FROM orders WHERE state = 'new';"],
  [40, `${customer}UPDATE customer SET balance = balance + 1.5 WHERE id = :c;`],
  [40, `${customer}UPDATE customer SET seen = '2026-11-01 10:00:00+00' WHERE id = :c;`],
  [30, `${customer}INSERT INTO visit (customer, page, at) VALUES (:c, '/page/1', now());`],
  [30, "SELECT id, total FROM orders WHERE placed BETWEEN '2026-02-01' AND '2026-02-02';"],
  [30, "SELECT id FROM orders WHERE placed >= timestamp '2026-03-01' AND placed < timestamp '2026-03-02';"],
  [25, "SELECT count(*) FROM customer WHERE country = 'de' AND is_active;"],
  [25, "SELECT id FROM customer WHERE born = '1980-05-05';"],
  [25, 'SELECT id FROM customer WHERE is_active = false LIMIT 5;'],
  [20, 'SELECT id FROM product WHERE price = 9.99;'],
  [20, 'SELECT id FROM product WHERE stock < 3;'],
  [20, 'SELECT id FROM product WHERE size = 17.5;'],
  [20, `${order}SELECT * FROM line WHERE ("order", position) = (:o, 1);`],
  [20, `${order}UPDATE orders SET state = 'sent' WHERE id = :o;`],
  [20, `${order}UPDATE orders SET note = 'gift' WHERE id = :o AND state <> 'sent';`],
  [15, `${customer}SELECT * FROM customer WHERE id IN (:c, 17, 4711);`],
  [15, "SELECT id, name FROM product WHERE id = ANY ('{c4ca4238-a0b9-2382-0dcc-509a6f75849b}'::uuid[]);"],
  [
    15,
    `${customer}WITH recent AS (SELECT * FROM orders WHERE customer = :c) SELECT sum(total) FROM recent WHERE state = 'paid';`,
  ],
  [15, `${customer}SELECT exists (SELECT FROM orders WHERE orders.customer = :c AND total > 500);`],
  [12, `${product}INSERT INTO product (id, name, price, stock) VALUES (gen_random_uuid(), 'new product', 5.50, 3);`],
  [10, 'SELECT id FROM orders WHERE id > 50000 ORDER BY id LIMIT 20 OFFSET 5;'],
  [10, `${customer}DELETE FROM visit WHERE customer = :c AND page = '/page/3';`],
  [10, 'SELECT country, count(*) FROM customer WHERE balance >= 400 GROUP BY country;'],
  [10, `${order}SELECT 1 FROM orders WHERE id = :o FOR UPDATE;`],
  [10, 'SELECT 1;'],
  [8, "SELECT id FROM customer WHERE email LIKE 'user12%';"],
  [8, "SELECT count(*) FROM visit WHERE at > now() - interval '1 day';"],
  [8, "SELECT date_trunc('day', placed) AS day, sum(total) FROM orders GROUP BY day;"],
  [6, 'SELECT count(*) FROM big_orders;'],
  [
    6,
    "SELECT page, count(*) FROM visit WHERE customer IS NULL GROUP BY page UNION ALL SELECT 'all', count(*) FROM visit;",
  ],
  [4, 'BEGIN;\nSELECT max(id) FROM orders;\nCOMMIT;'],
  [3, "SELECT relname FROM pg_class WHERE relkind = 'r';"],
  [2, "SELECT nextval('visit_id_seq');"],
  [2, 'VACUUM product;'],
];

/** Puts the shop into a database of the server, has its users come for a while, and counts what they sent. */
export async function openShop(cluster: LocalCluster, transactions = 4000): Promise<void> {
  const { target, programs } = cluster;
  await queryOn(target, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await queryOn(target, shopSchema);
  await queryOn(target, 'VACUUM ANALYZE');
  await runPgbench(cluster, ['--initialize', '--scale=1', '--quiet']);
  await queryOn(target, 'SELECT pg_stat_statements_reset()');
  await runPgbench(cluster, ['--client=2', '--transactions=200', '--no-vacuum', '--random-seed=1']);
  const folder = path.join(cluster.folder, 'shop');
  mkdirSync(folder, { mode: 0o755 });
  const files = shopStatements.map(([weight, text], index) => {
    const file = path.join(folder, `${index}.sql`);
    writeFileSync(file, `${text}\n`);
    return `--file=${file}@${weight}`;
  });
  await runPgbench(cluster, [
    ...['--client=4', `--transactions=${transactions / 4}`, '--no-vacuum', '--random-seed=1'],
    ...files,
  ]);
  async function runPgbench({ target: { environment } }: LocalCluster, options: string[]): Promise<void> {
    const command = [path.join(programs, 'pgbench'), ...options, connectionString(target)];
    const { signal } = new AbortController();
    requireSuccess(command, await withClient({ signal }, ({ run }) => run(command, { signal, environment })));
  }
}
