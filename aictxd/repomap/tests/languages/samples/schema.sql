-- Users of it. More.
CREATE TABLE IF NOT EXISTS public.users (
    id serial PRIMARY KEY,
    type text
);
create unique index users_name on users (name);
CREATE OR REPLACE FUNCTION add_user(name text) RETURNS int AS $$
BEGIN
  CREATE TEMP TABLE t (a int);
END;
$$ LANGUAGE plpgsql;
CREATE VIEW "app"."active users" AS SELECT 1;
CREATE MATERIALIZED VIEW `stats` AS SELECT 1;
create type mood as enum ('a');
CREATE TRIGGER audit AFTER INSERT ON users EXECUTE FUNCTION f();
select * from table_name;
ALTER TABLE users ADD COLUMN x int;
