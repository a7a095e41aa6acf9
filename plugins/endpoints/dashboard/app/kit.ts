import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, ApiError } from './api.ts'
import { Chart } from './components/chart.ts'
import { Code, CodeBlock, CopyButton } from './components/copy.ts'
import { Confirm, Dialog } from './components/dialog.ts'
import { Badge, Empty, Loading, Meter, Notice, Problem, Stat } from './components/feedback.ts'
import { Input, NumberField, Select, SelectField, Switch, TextAreaField, TextField, TimeField } from './components/fields.ts'
import { Form, useForm } from './components/form.ts'
import { Icon } from './components/icon.ts'
import { Button, Page, Panel } from './components/page.ts'
import { PagedTable, Table } from './components/table.ts'
import { Tabs } from './components/tabs.ts'
import { Time } from './components/time.ts'
import { useData } from './data.ts'
import * as format from './format.ts'
import { html } from './html.ts'
import { go, hrefOf, useParameters } from './place.ts'
import { useSession } from './session.ts'

/** The parts that pages of plugins get: docs/dashboard.md. */
export const kit = {
  html,
  api,
  ApiError,
  format,
  go,
  hrefOf,
  useCallback,
  useData,
  useEffect,
  useForm,
  useMemo,
  useParameters,
  useRef,
  useSession,
  useState,
  Badge,
  Button,
  Chart,
  Code,
  CodeBlock,
  Confirm,
  CopyButton,
  Dialog,
  Empty,
  Form,
  Icon,
  Input,
  Loading,
  Meter,
  Notice,
  NumberField,
  Page,
  PagedTable,
  Panel,
  Problem,
  Select,
  SelectField,
  Stat,
  Switch,
  Table,
  Tabs,
  TextAreaField,
  TextField,
  Time,
  TimeField,
} as const
